#pragma once

#include <optional>
#include <string>

#include "api/dispatcher.h"
#include "base/clock.h"
#include "http/handler.h"
#include "model/approval_link.h"
#include "service/approvals.h"

namespace ff::api {

/// Serves the pages behind approval links (chapter 03 section 7.6) and hands everything else on.
/// Whoever has the address of a page may open it and answer there once, and nothing else: the
/// secret in it is no credential of the API. They work without a script.
class ApprovalPages final : public http::Handler {
  public:
    /// All of them outlive it.
    ApprovalPages(service::Approvals& approvals, const Clock& clock, Gate& gate,
                  http::Handler& inside)
        : approvals_(approvals), clock_(clock), gate_(gate), inside_(inside) {}

    http::Admission admit(const http::Request& head, http::Peer& peer) override;
    boost::asio::awaitable<http::Response> handle(http::Request request, http::Peer& peer) override;

  private:
    boost::asio::awaitable<http::Response> answer(const http::Request& request, http::Peer& peer,
                                                  std::string& store_failure);
    Task<http::Response> show(const http::Request& request, model::ApprovalLink link);
    Task<http::Response> show_context(model::ApprovalLink link);
    Task<http::Response> take(const http::Request& request, model::ApprovalLink link);
    Task<http::Response> send(model::ApprovalLink link, service::ApprovalLinkAnswer said);

    service::Approvals& approvals_;
    const Clock& clock_;
    Gate& gate_;
    http::Handler& inside_;
};

}  // namespace ff::api
