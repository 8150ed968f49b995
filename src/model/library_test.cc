#include "model/library.h"

#include "base/digest.h"

namespace ff::model {
namespace {

TEST(Library, TextBeginsWithItsNameAndHoldsTheVersion) {
    EXPECT_TRUE(library_text().starts_with("#!lua name=flowfabric\n"));
    EXPECT_EQ(library_version_text(), std::to_string(library_version()));
    EXPECT_GE(library_version(), 1000);
}

TEST(Library, DigestIsTheOneOfTheTextWithoutIt) {
    std::string text = library_text();
    const std::string literal = "digest = \"" + std::string(library_digest()) + "\"";
    const auto at = text.find(literal);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, literal.size(), "digest = \"\"");
    EXPECT_EQ(sha1_hex(text), library_digest());
}

}  // namespace
}  // namespace ff::model
