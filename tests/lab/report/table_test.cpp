#include "lab/report/table.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

ReportTable small_table() {
  ReportTable table({"model", "Cora", "Texas"});
  table.add({"Ordered GNN", "88.37 ± 0.75", "86.2"});
  table.add({"MLP", "74"});
  return table;
}

TEST(ReportTable, AlignsColumnsByCharacters) {
  EXPECT_EQ(small_table().text(),
            "model                Cora  Texas\n"
            "--------------------------------\n"
            "Ordered GNN  88.37 ± 0.75   86.2\n"
            "MLP                    74\n");
}

TEST(ReportTable, WritesMarkdown) {
  EXPECT_EQ(small_table().markdown(),
            "| model       |         Cora | Texas |\n"
            "| ----------- | -----------: | ----: |\n"
            "| Ordered GNN | 88.37 ± 0.75 |  86.2 |\n"
            "| MLP         |           74 |       |\n");
  ReportTable odd({"a"});
  odd.add({"x|y\nz"});
  EXPECT_EQ(odd.markdown(), "| a      |\n| ------ |\n| x\\|y z |\n");
}

TEST(ReportTable, WritesCsv) {
  ReportTable table({"name", "a,b"});
  table.add({"say \"hi\"", "two\nlines"});
  table.add({"plain", "1"});
  EXPECT_EQ(table.csv(),
            "name,\"a,b\"\n\"say \"\"hi\"\"\",\"two\nlines\"\nplain,1\n");
  ReportTable one({"only"});
  one.add({""});
  EXPECT_EQ(one.csv(), "only\n\"\"\n");
}

TEST(ReportTable, GuardsFormulasInCsvUnlessTold) {
  ReportTable table({"name", "change"});
  table.add({"=1+1", "-0.5"});
  table.add({"@x", "-"});
  int64_t guarded = 1;
  EXPECT_EQ(table.csv(core::FormulaText::guarded, &guarded),
            "name,change\n'=1+1,-0.5\n'@x,-\n");
  EXPECT_EQ(guarded, 3);
  EXPECT_EQ(table.csv(core::FormulaText::kept),
            "name,change\n=1+1,-0.5\n@x,-\n");
}

TEST(ReportTable, ShowsATerminalWhatItWouldObey) {
  ReportTable table({"\033[1mname", "b"});
  table.add({"x\ty\u202Ez", "1"});
  EXPECT_EQ(table.text(),
            "\\x1b[1mname  b\n--------------\nx\\ty\\u202ez  1\n");
}

TEST(ReportTable, KeepsLinesOfATerminalWhole) {
  ReportTable table({"a", "b"}, {Align::right, Align::left});
  table.add({"1\n2", "x"});
  EXPECT_EQ(table.text(), "  a  b\n------\n1 2  x\n");
}

TEST(ReportTable, IsAHeaderWithoutRows) {
  const ReportTable table({"a", "b"});
  EXPECT_EQ(table.text(), "a  b\n----\n");
  EXPECT_EQ(table.markdown(), "| a   |   b |\n| --- | --: |\n");
  EXPECT_EQ(table.csv(), "a,b\n");
  EXPECT_TRUE(table.rows().empty());
}

TEST(ReportTable, IsATabularThatLatexReadsAsItIs) {
  ReportTable table({"model", "test, %"});
  table.add({"gcn_max & co", "82.70 ± 5.73"});
  table.add({"a\\b{c}\n#1$~^", "< 0.001"});
  EXPECT_EQ(table.latex(),
            "% \\usepackage{booktabs}\n"
            "\\begin{tabular}{lr}\n\\toprule\n"
            "model & test, \\% \\\\\n\\midrule\n"
            "gcn\\_max \\& co & 82.70 $\\pm$ 5.73 \\\\\n"
            "a\\textbackslash{}b\\{c\\} \\#1\\$\\textasciitilde{}"
            "\\textasciicircum{} & $<$ 0.001 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(ReportTable, RefusesRowsThatDoNotFit) {
  EXPECT_TRUE(contains(error_of([] { ReportTable({}); }), "one column"));
  EXPECT_TRUE(contains(error_of([] {
                         ReportTable({"a"}).add({"1", "2"});
                       }),
                       "2 cells"));
  EXPECT_TRUE(contains(error_of([] {
                         ReportTable({"a", "b"}, {Align::left});
                       }),
                       "2 columns"));
}

}  // namespace
}  // namespace ordered_gnn::lab
