#pragma once

/// FF_CLI_TRY(auto client, session.client()); ends the command with the error told and its code.
#define FF_CLI_TRY_INNER(result, declaration, expression)         \
    auto result = (expression);                                   \
    if (!result.has_value()) return session.fail(result.error()); \
    declaration = *std::move(result)
#define FF_CLI_CAT_INNER(a, b) a##b
#define FF_CLI_CAT(a, b) FF_CLI_CAT_INNER(a, b)
#define FF_CLI_TRY(declaration, ...) \
    FF_CLI_TRY_INNER(FF_CLI_CAT(cli_result_, __LINE__), declaration, __VA_ARGS__)
/// The same for arguments: a mistake in them is a matter of usage.
#define FF_CLI_READ_INNER(result, declaration, expression)         \
    auto result = (expression);                                    \
    if (!result.has_value()) return session.usage(result.error()); \
    declaration = *std::move(result)
#define FF_CLI_READ(declaration, ...) \
    FF_CLI_READ_INNER(FF_CLI_CAT(cli_read_, __LINE__), declaration, __VA_ARGS__)
