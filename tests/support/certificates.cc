#include "support/certificates.h"

#include <fstream>
#include <stdexcept>
#include <vector>

#include "support/process.h"

namespace ff::testing {
namespace {

void openssl(std::vector<std::string> args) {
    args.insert(args.begin(), "openssl");
    const CommandResult result = run_command(args);
    if (result.exit_code != 0) throw std::runtime_error("openssl " + args[1] + ": " + result.err);
}

}  // namespace

Certificates::Certificates() {
    const std::string ca_key = folder_.file("ca.key");
    const std::string request = folder_.file("server.csr");
    const std::string extensions = folder_.file("extensions");
    std::ofstream(extensions) << "subjectAltName=DNS:localhost,IP:127.0.0.1\n"
                                 "basicConstraints=CA:FALSE\n";
    const std::vector<std::string> key = {"-newkey", "ec", "-pkeyopt",
                                          "ec_paramgen_curve:prime256v1", "-nodes"};
    std::vector<std::string> authority = {"req",   "-x509",   "-subj",   "/CN=FlowFabric test CA",
                                          "-out",  ca_file(), "-keyout", ca_key,
                                          "-days", "2"};
    authority.insert(authority.end(), key.begin(), key.end());
    openssl(authority);
    std::vector<std::string> server = {"req",   "-subj",   "/CN=localhost",  "-out",
                                       request, "-keyout", server_key_file()};
    server.insert(server.end(), key.begin(), key.end());
    openssl(server);
    openssl({"x509", "-req", "-in", request, "-CA", ca_file(), "-CAkey", ca_key, "-CAcreateserial",
             "-out", server_certificate_file(), "-days", "2", "-extfile", extensions});
}

}  // namespace ff::testing
