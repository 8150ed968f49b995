import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { ApiError, ask, signIn } from "../lib/api";
import { startLive } from "../lib/live";
import { Button } from "../parts/ui";

export function LoginPage(): JSX.Element {
    const token = useRef<HTMLInputElement>(null);
    const keep = useRef<HTMLInputElement>(null);
    const error = useSignal<string | undefined>(undefined);
    const busy = useSignal(false);
    const submit = async (event: Event): Promise<void> => {
        event.preventDefault();
        const given = token.current?.value.trim() ?? "";
        busy.value = true;
        error.value = undefined;
        try {
            await ask("/v1/capabilities", { token: given });
            signIn(given, keep.current?.checked ?? false);
            startLive();
        } catch (caught) {
            const wrong = caught instanceof ApiError && caught.status === 401;
            error.value = wrong
                ? "The server does not know this token. It is the value of its FF_API_TOKEN."
                : caught instanceof Error
                  ? caught.message
                  : String(caught);
            token.current?.select();
        } finally {
            busy.value = false;
        }
    };
    return (
        <main class="login">
            <form onSubmit={(event) => void submit(event)}>
                <h1>FlowFabric</h1>
                <label class="field">
                    <span>API token</span>
                    <input ref={token} type="password" autocomplete="current-password" autofocus required />
                </label>
                <label class="check">
                    <input ref={keep} type="checkbox" />
                    Keep it until this tab is closed
                </label>
                {error.value && (
                    <p class="problem" role="alert">
                        {error.value}
                    </p>
                )}
                <Button kind="main" submit disabled={busy.value}>
                    Sign in
                </Button>
            </form>
        </main>
    );
}
