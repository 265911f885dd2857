#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "core/io/file.h"
#include "lab/browser/webdriver.h"
#include "lab/page/explanation_page.h"
#include "lab/page/page_support.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/data/registry.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

constexpr int64_t kNodes = 300;

// The first node with a few neighbours besides itself.
int64_t node_with_neighbours(const Graph& graph) {
  const at::Tensor& rowptr = graph.in().rowptr;
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    const auto degree = (rowptr[v + 1] - rowptr[v]).item<int64_t>();
    if (degree > 4) return v;
  }
  return 0;
}

// A model after a few epochs on a small generated graph, on its page.
std::string trained_page(const std::filesystem::path& folder,
                         int64_t& explained) {
  RunOptions options;
  options.data.data = fmt::format(
      "synthetic:csbm?nodes={}&classes=3&features=8&degree=5&splits=2", kNodes);
  options.network.layers = 3;
  options.network.hidden = 16;
  options.network.chunk = 4;
  options.train.epochs = 12;
  const NodeDataset data = load_for_training(options);
  SplitsHooks hooks;
  hooks.folder = folder / "run";
  run_splits(data, options, hooks);
  const std::filesystem::path file =
      folder / "run" / "split-0" / "model.safetensors";
  ExplainOptions explain;
  explained = node_with_neighbours(data.graph);
  explain.nodes = {explained};
  explain.listed_nodes = true;
  explain.importance = true;
  return html_page(explanation_page(
      explain_checkpoint(load_trained(file), data, file, explain)));
}

// One browser for all tests: starting it takes seconds.
class PageInBrowser : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Browser::why_not().empty()) return;
    folder_ = std::make_unique<TempDir>();
    core::write_file(*folder_ / "page.html",
                     trained_page(folder_->path(), explained_));
    core::write_file(*folder_ / "names.html",
                     html_page(explanation_page(with_attributes())));
    browser_ = std::make_unique<Browser>(*folder_ / "profile");
  }
  static void TearDownTestSuite() {
    browser_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (!browser_) {
      // Where it must be there, a test that opened nothing is no success.
      if (std::getenv("OGNN_REQUIRE_BROWSER") != nullptr) {
        FAIL() << "OGNN_REQUIRE_BROWSER is set and " << Browser::why_not();
      }
      GTEST_SKIP() << Browser::why_not();
    }
    browser_->resize(1280, 900);
    // Through an empty page: an address that differs in what follows # alone
    // would not load again.
    browser_->open("about:blank");
    browser_->open(address());
  }
  void TearDown() override {
    if (!browser_) return;
    EXPECT_EQ(browser_->complaints(), std::vector<std::string>{});
  }

  static std::string address(const std::string& hash = "",
                             const std::string& page = "page.html") {
    return "file://" + (*folder_ / page).string() + hash;
  }
  static std::string text_of(const std::string& selector) {
    return value("document.querySelector('" + selector + "').textContent")
        .get<std::string>();
  }
  static Json value(const std::string& expression) {
    return browser_->evaluate("return " + expression);
  }
  static Json count(const std::string& selector) {
    return value("document.querySelectorAll('" + selector + "').length");
  }
  static void search(const std::string& word) {
    browser_->evaluate("document.getElementById('node-input').value = '" +
                       word +
                       "'; document.querySelector('#node-search button')"
                       ".click()");
  }
  // Keys are acted on some time after they were pressed.
  static void expect_soon(const std::string& expression, const Json& wanted) {
    EXPECT_TRUE(becomes(expression, wanted))
        << expression << " is " << value(expression) << ", not " << wanted;
  }
  static bool becomes(const std::string& expression, const Json& wanted) {
    for (int i = 0; i < 200; ++i) {
      if (value(expression) == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  // Moves the focus on; false: nothing else can have it.
  static bool tab() {
    browser_->evaluate("window.before = document.activeElement");
    browser_->press(Browser::kTab);
    return becomes("document.activeElement !== window.before", true);
  }
  // Pictures for people to look at, where OGNN_SCREENSHOTS names a folder.
  static void picture(const std::string& name) {
    const char* const folder = std::getenv("OGNN_SCREENSHOTS");
    if (folder == nullptr) return;
    browser_->screenshot(std::filesystem::path(folder) / (name + ".png"));
  }
  static void expect_no_overflow(const std::string& where) {
    const std::string root = "document.documentElement";
    EXPECT_LE(value(root + ".scrollWidth").get<int>(),
              value(root + ".clientWidth").get<int>())
        << where;
  }

  static std::unique_ptr<TempDir> folder_;
  static std::unique_ptr<Browser> browser_;
  static int64_t explained_;  ///< a node that was asked for
};

std::unique_ptr<TempDir> PageInBrowser::folder_;
std::unique_ptr<Browser> PageInBrowser::browser_;
int64_t PageInBrowser::explained_ = 0;

TEST_F(PageInBrowser, EveryPlotHasItsMarksAndALabel) {
  const Json figures = browser_->evaluate(R"(
      return [...document.querySelectorAll('figure')].map((figure) => {
        const plot = figure.querySelector('svg.og-plot');
        const box = plot.getBoundingClientRect();
        return {name: figure.id, label: plot.getAttribute('aria-label'),
                marks: plot.querySelectorAll(
                    'rect:not(.og-back):not(.og-panel), circle, polygon, ' +
                    'polyline').length,
                rows: figure.querySelectorAll('tbody tr').length,
                width: box.width, height: box.height};
      });)");
  EXPECT_GE(figures.size(), 18u);
  for (const Json& figure : figures) {
    EXPECT_GT(figure.at("marks"), 0) << figure;
    EXPECT_GT(figure.at("rows"), 0) << figure;
    EXPECT_GT(figure.at("width"), 200) << figure;
    EXPECT_GT(figure.at("height"), 80) << figure;
    EXPECT_FALSE(figure.at("label").get<std::string>().empty()) << figure;
  }
  EXPECT_EQ(count("#figure-confusion .og-cell"), 9);
  EXPECT_EQ(count("#figure-hops-by-class .og-part"), 3 * 4);
  picture("light");
}

TEST_F(PageInBrowser, ValuesShowAtThePointer) {
  EXPECT_EQ(value("document.getElementById('tip').hidden"), true);
  // The page hides a tooltip when it scrolls: that must be over.
  const Json place = browser_->evaluate(R"(
      const mark = document.querySelector('#figure-confusion .og-cell');
      mark.scrollIntoView({block: 'center'});
      return new Promise((done) => requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const box = mark.getBoundingClientRect();
            done([Math.round(box.left) + 4, Math.round(box.top) + 4]);
          })));)");
  browser_->point_at(place.at(0), place.at(1));
  EXPECT_EQ(value("document.getElementById('tip').hidden"), false);
  EXPECT_NE(value("document.getElementById('tip').textContent")
                .get<std::string>()
                .find("0 → 0: "),
            std::string::npos);
}

TEST_F(PageInBrowser, SearchFindsANodeAndDrawsItsTree) {
  search("123");
  EXPECT_EQ(value("document.querySelector('#node-panel h3').textContent"),
            "Node 123");
  const int neighbours =
      value(
          "Number([...document.querySelectorAll('#node-panel dt')].find("
          "(dt) => dt.textContent === 'in-neighbours').nextSibling"
          ".textContent)")
          .get<int>();
  EXPECT_GT(count("#node-panel .tree-node"), std::min(neighbours, 4));
  EXPECT_GT(count("#node-panel .tree .link"), 0);
  EXPECT_EQ(count("#node-panel .shares rect"), 4);
  EXPECT_GT(count("#node-panel table tbody tr"), 1);
  picture("node");
  // A node of the tree leads on.
  browser_->evaluate(
      "document.querySelectorAll('.tree-node')[1].dispatchEvent("
      "new MouseEvent('click', {bubbles: true}))");
  EXPECT_NE(value("document.querySelector('#node-panel h3').textContent"),
            "Node 123");
}

TEST_F(PageInBrowser, SearchSaysWhatIsNotThere) {
  for (const char* word : {"300", "-1", "1e2", "nobody", ""}) {
    search(word);
    EXPECT_EQ(value("document.getElementById('node-panel').hidden"), true)
        << word;
    EXPECT_NE(value("document.getElementById('node-message').textContent"), "")
        << word;
  }
}

TEST_F(PageInBrowser, ListedNodesAreExplainedInFull) {
  browser_->open(address(fmt::format("#node={}", explained_)));
  const std::string text =
      value("document.getElementById('node-panel').textContent");
  for (const char* part :
       {"Which features mattered", "Other nodes whose features mattered",
        "Probabilities", "If messages stopped", "Neighbours whose removal",
        "What each hop says"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_GT(count("#node-panel .contribution rect"), 8);
  EXPECT_EQ(count("#figure-column-importance .og-bar"), 8) << "all features";
  EXPECT_GT(count("a[data-node]"), 20);
  browser_->evaluate("document.querySelector('a[data-node]').click()");
  EXPECT_EQ(value("location.hash"),
            "#node=" + value("document.querySelector('a[data-node]')"
                             ".dataset.node")
                           .get<std::string>());
}

TEST_F(PageInBrowser, NodesAndColumnsHaveTheirNames) {
  browser_->open(address("", "names.html"));
  EXPECT_EQ(text_of("#columns h2"), "Which columns matter");
  EXPECT_EQ(text_of("a[data-node]"), "bob");
  browser_->evaluate("document.querySelector('a[data-node]').click()");
  EXPECT_EQ(text_of("#node-panel h3"), "Node bob (number 2)");
  const std::string text = text_of("#node-panel");
  for (const char* part : {"Which columns mattered", "plan <i>", "gold & more",
                           "2024-02-29", "+2.000", "−40.00", "eve"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  picture("names");
  // A link is a number, a searched word a name first, and the page says so.
  browser_->open(address("#node=3", "names.html"));
  EXPECT_EQ(text_of("#node-panel h3"), "Node eve (number 3)");
  search("3");
  EXPECT_EQ(text_of("#node-panel h3"), "Node 3 (number 1)");
  EXPECT_NE(text_of("#node-message").find("with that number is “eve”"),
            std::string::npos);
  search("ann");
  EXPECT_EQ(text_of("#node-panel h3"), "Node ann (number 0)");
  EXPECT_EQ(text_of("#node-message"), "");
}

TEST_F(PageInBrowser, AttributesFitAPhoneAndTheDark) {
  browser_->resize(360, 800);
  browser_->open(address("#node=2", "names.html"));
  expect_no_overflow("attributes at 360 pixels");
  picture("narrow-names");
  browser_->evaluate(
      "document.getElementById('columns').scrollIntoView({block: 'start'})");
  picture("narrow-columns");
  browser_->resize(1280, 900);
  browser_->evaluate("document.getElementById('theme').click()");
  browser_->evaluate(
      "document.getElementById('columns').scrollIntoView({block: 'start'})");
  picture("columns-dark");
  browser_->evaluate(
      "document.getElementById('node-panel').scrollIntoView({block: 'start'})");
  picture("names-dark");
  browser_->evaluate("document.getElementById('theme').click()");
  browser_->evaluate(
      "document.getElementById('columns').scrollIntoView({block: 'start'})");
  picture("columns");
}

TEST_F(PageInBrowser, SwitchesToTheDarkSchemeAndBack) {
  const std::string ground = "getComputedStyle(document.body).backgroundColor";
  const std::string bar =
      "getComputedStyle(document.querySelector("
      "'#figure-class-scores .og-s0')).fill";
  const Json light = value(ground), light_bar = value(bar);
  browser_->evaluate("document.getElementById('theme').click()");
  EXPECT_NE(value(ground), light);
  EXPECT_NE(value(bar), light_bar);
  expect_no_overflow("dark");
  picture("dark");
  browser_->open(address(fmt::format("#node={}", explained_)));
  EXPECT_NE(value(ground), light) << "the choice is kept";
  picture("node-dark");
  browser_->evaluate("document.getElementById('theme').click()");
  EXPECT_EQ(value(ground), light);
}

TEST_F(PageInBrowser, FitsAPhoneAndALaptop) {
  for (const int width : {360, 768, 1280}) {
    browser_->resize(width, 800);
    expect_no_overflow(fmt::format("{} pixels", width));
    search(std::to_string(explained_));
    expect_no_overflow(fmt::format("a node at {} pixels", width));
    browser_->evaluate(
        "document.querySelectorAll('details').forEach((d) => d.open = true)");
    expect_no_overflow(fmt::format("numbers at {} pixels", width));
    if (width == 360) picture("narrow-node");
    browser_->open("about:blank");
    browser_->open(address());
    if (width == 360) picture("narrow");
  }
}

TEST_F(PageInBrowser, TheKeyboardIsEnough) {
  ASSERT_TRUE(tab());
  EXPECT_EQ(value("document.activeElement.className"), "skip");
  bool reached = false;
  for (int i = 0; i < 200 && !reached && tab(); ++i) {
    reached = value("document.activeElement.id") == "node-input";
  }
  ASSERT_TRUE(reached) << "search is out of the keyboard's reach";
  browser_->press("42");
  expect_soon("document.activeElement.value", "42");
  browser_->press(Browser::kEnter);
  expect_soon("document.querySelector('#node-panel h3')?.textContent ?? ''",
              "Node 42");
  expect_soon("document.activeElement.textContent", "Node 42");
  browser_->press("/");
  expect_soon("document.activeElement.id", "node-input");
}

}  // namespace
}  // namespace ordered_gnn::lab
