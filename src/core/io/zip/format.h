#pragma once
#include <cstddef>
#include <cstdint>

namespace ordered_gnn::core::zip_format {

// Field names and sizes follow the .ZIP File Format Specification (APPNOTE).
constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDataDescriptor = 0x08074b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kZip64End = 0x06064b50;
constexpr uint32_t kZip64Locator = 0x07064b50;
constexpr uint32_t kEnd = 0x06054b50;

constexpr size_t kLocalHeaderSize = 30;
constexpr size_t kDirectoryEntrySize = 46;
constexpr size_t kZip64EndSize = 56;
constexpr size_t kZip64LocatorSize = 20;
constexpr size_t kEndSize = 22;
constexpr size_t kMaxComment = 0xFFFF;

constexpr uint16_t kZip64Extra = 0x0001;
constexpr uint16_t kEncryptedFlag = 1u << 0;
constexpr uint16_t kDescriptorFlag = 1u << 3;
constexpr uint16_t kUtf8Flag = 1u << 11;

constexpr uint16_t kPlainVersion = 20;
constexpr uint16_t kZip64Version = 45;
constexpr uint16_t kNoTime = 0;
constexpr uint16_t kFirstDate =
    1 << 5 | 1;  // 1980-01-01, the earliest there is

// Values that say "look in the ZIP64 field instead".
constexpr uint32_t kSaturated32 = 0xFFFFFFFF;
constexpr uint16_t kSaturated16 = 0xFFFF;

}  // namespace ordered_gnn::core::zip_format
