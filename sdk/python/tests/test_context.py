"""Steps and waits inside a function."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

import pytest

import flowfabric as ff
from conftest import until
from flowfabric.testing import TestServer, worker


@dataclass
class Found:
    urls: list[str]


async def when_waiting(handle: ff.Handle[object], name: str) -> None:
    async def waiting() -> bool:
        return any(w["waitpoint_key"] == name for w in await handle.pending())

    await until(waiting, what=f"the wait {name}")


async def test_step_is_done_once_over_attempts(app: ff.App, lane: str) -> None:
    done: list[str] = []

    @app.task(lane=lane, retry=ff.Retry(attempts=3, backoff=ff.fixed("10ms")))
    async def work(ctx: ff.Context) -> list[object]:
        async def find() -> Found:
            done.append("find")
            return Found(["a"])

        found = await ctx.step("find", find)
        text = await ctx.step("text", lambda: done.append("text") or "x")
        raw = await ctx.step("raw", lambda: b"\x00\xff")
        nothing = await ctx.step("nothing", lambda: None)
        if ctx.attempt_index < 2:
            raise ValueError("again")
        return [found, text, raw, nothing, isinstance(found, Found)]

    async with worker(app):
        result = await (await work.submit()).result(timeout=30)
    assert result == [{"urls": ["a"]}, "x", {"$base64": "AP8="}, None, True]
    assert done == ["find", "text"]


async def test_name_used_twice_is_an_error_that_says_so(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def twice(ctx: ff.Context) -> None:
        await ctx.step("same", lambda: 1)
        await ctx.step("same", lambda: 2)

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed, match="`same` was used twice"):
            await (await twice.submit()).result(timeout=30)


async def test_step_whose_type_changed_fails_and_names_it(app: ff.App, lane: str) -> None:
    @app.task(lane=lane, retry=ff.Retry(attempts=5, backoff=ff.fixed("10ms")))
    async def changed(ctx: ff.Context) -> None:
        await ctx.step("count", lambda: "many", type=str if ctx.attempt_index == 0 else int)
        raise ValueError("again")

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed, match="step `count`") as caught:
            await (await changed.submit()).result(timeout=30)
    assert caught.value.category == "step_type_changed"


async def test_code_around_steps_may_change_while_it_runs(app: ff.App, server: TestServer, lane: str) -> None:
    @app.task(lane=lane, name="moving")
    async def before(ctx: ff.Context) -> str:
        a = await ctx.step("a", lambda: "old a")
        await ctx.wait_for("go")
        return a

    handle = await before.submit()
    async with worker(app):
        await when_waiting(handle, "go")
    after_app = ff.App(server.url)

    @after_app.task(lane=lane, name="moving")
    async def after(ctx: ff.Context) -> str:
        new = await ctx.step("new", lambda: "new")
        await ctx.wait_for("go")
        return new + ", " + await ctx.step("a", lambda: "new a")

    async with worker(after_app):
        await handle.signal("go", "go")
        assert await handle.result(timeout=30) == "new, old a"
    await after_app.close()


async def test_approval_brings_the_decision(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def ask(ctx: ff.Context) -> list[object]:
        decision = await ctx.approval("publish", timeout="3d")
        return [decision.approved, decision.by, decision.data, decision.timed_out]

    async with worker(app):
        yes, no = await ask.submit(), await ask.submit()
        for handle in (yes, no):
            await when_waiting(handle, "publish")
            assert await handle.state() == "suspended"
        await yes.approve("publish", by="ada", data={"comment": "fine"})
        await no.reject("publish", by="bob")
        assert await yes.result(timeout=30) == [True, "ada", {"comment": "fine"}, False]
        assert await no.result(timeout=30) == [False, "bob", None, False]


async def test_approval_that_nobody_gives_times_out(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def ask(ctx: ff.Context) -> bool:
        return (await ctx.approval("publish", timeout="100ms")).timed_out

    async with worker(app):
        assert await (await ask.submit()).result(timeout=30) is True


async def test_signals_are_waited_for_one_or_all(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def wait(ctx: ff.Context) -> list[object]:
        paid = await ctx.wait_for("payment", "paid", "refused")
        both = await ctx.wait_for_all("papers", "passport", "visa")
        try:
            await ctx.wait_for("never", "x", timeout="100ms")
        except ff.WaitTimedOut as error:
            late = error.name
        return [paid.name, paid.value(), sorted(s.name for s in both), late]

    async with worker(app):
        handle = await wait.submit()
        await when_waiting(handle, "payment")
        await handle.signal("payment", "paid", {"amount": 3}, by="bank")
        await when_waiting(handle, "papers")
        await handle.signal("papers", "visa")
        await handle.signal("papers", "passport")
        assert await handle.result(timeout=30) == ["paid", {"amount": 3}, ["passport", "visa"], "never"]


async def test_operator_may_resume_a_wait(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def wait(ctx: ff.Context) -> str:
        return (await ctx.wait_for("something")).category

    async with worker(app):
        handle = await wait.submit()
        await when_waiting(handle, "something")
        await app.client.resume_execution(handle.execution_id)
        assert await handle.result(timeout=30) == "operator"


async def test_sleep_holds_no_worker(app: ff.App, lane: str) -> None:
    runs: list[str] = []

    @app.task(lane=lane)
    async def nap(ctx: ff.Context) -> int:
        runs.append(ctx.attempt_type)
        await ctx.sleep("300ms")
        await ctx.sleep("300ms")
        return len(runs)

    async with worker(app) as made:
        assert await (await nap.submit()).result(timeout=30) == 3
    assert (runs, made.ended["delay"]) == (["initial", "resumed", "resumed"], 2)


async def test_waiting_inside_a_step_is_refused(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def wrong(ctx: ff.Context) -> None:
        await ctx.step("outer", lambda: ctx.sleep("1s"))

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed, match="inside the step `outer`"):
            await (await wrong.submit()).result(timeout=30)


async def test_handler_that_swallows_the_end_of_its_run_is_told(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def greedy(ctx: ff.Context) -> str:
        with contextlib.suppress(BaseException):
            await ctx.sleep("1h")
        return "swallowed"

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed, match="let `BaseException` pass"):
            await (await greedy.submit()).result(timeout=30)


async def test_sync_functions_have_steps_and_waits_too(app: ff.App, lane: str) -> None:
    done: list[str] = []

    @app.task(lane=lane)
    def work(ctx: ff.SyncContext) -> str:
        value = ctx.step("once", lambda: done.append("x") or "value")
        ctx.sleep("100ms")
        return value + ctx.wait_for("word").name

    async with worker(app):
        handle = await work.submit()
        await when_waiting(handle, "word")
        await handle.signal("word", "!")
        assert await handle.result(timeout=30) == "value!"
    assert done == ["x"]


async def test_retryable_waits_as_long_as_it_says_and_is_counted(app: ff.App, lane: str) -> None:
    runs: list[int] = []

    @app.task(lane=lane, retry=ff.Retry(attempts=3))
    async def busy(ctx: ff.Context) -> None:
        runs.append(ctx.attempt_index)
        raise ff.Retryable("busy", after="50ms")

    async with worker(app):
        with pytest.raises(ff.ExecutionFailed) as caught:
            await (await busy.submit()).result(timeout=30)
    assert (runs, caught.value.category) == ([0, 0, 0], "retryable")


async def test_spend_is_counted_once_however_often_the_handler_runs(app: ff.App, lane: str) -> None:
    @app.task(lane=lane)
    async def work(ctx: ff.Context) -> None:
        await ctx.spend(tokens=10)
        await ctx.spend(tokens=5, name="draft")
        await ctx.sleep("50ms")
        await ctx.sleep("50ms")

    budget = await app.create_budget(lane, hard={"total_tokens": 1000})
    async with worker(app):
        await (await work.submit(budget=lane)).result(timeout=30)
    assert (await app.client.get_budget(budget))["usage"]["total_tokens"] == 15


async def test_repair_18_try_spend_asks_and_spend_tells(app: ff.App, lane: str) -> None:
    """Within a limit of 20: 18 fit, 3 more do not, and what was spent all the same is counted."""

    @app.task(lane=lane)
    async def work(ctx: ff.Context) -> list[bool]:
        answers = [await ctx.try_spend(tokens=18), await ctx.try_spend(tokens=3)]
        with pytest.raises(ff.BudgetExceeded):
            await ctx.spend(tokens=3)
        return answers

    budget = await app.create_budget(lane, hard={"total_tokens": 20})
    async with worker(app):
        assert await (await work.submit(budget=lane)).result(timeout=30) == [True, False]
    assert (await app.client.get_budget(budget))["usage"]["total_tokens"] == 21


async def test_many_steps_do_not_fit_into_the_claim_and_are_read(app: ff.App, lane: str) -> None:
    done: list[int] = []

    @app.task(lane=lane)
    async def many(ctx: ff.Context) -> int:
        total = 0
        for n in range(6):
            total += len(await ctx.step(f"big {n}", lambda n=n: done.append(n) or "x" * 900_000))
        await ctx.sleep("10ms")
        return total

    async with worker(app):
        assert await (await many.submit()).result(timeout=60) == 5_400_000
    assert done == list(range(6))


async def test_children_are_called_once_and_bring_their_results(app: ff.App, lane: str) -> None:
    runs: list[str] = []

    @app.task(lane=lane)
    async def shout(ctx: ff.Context, word: str) -> str:
        runs.append(word)
        if word == "bad":
            raise ff.Fatal("bad word", category="rude")
        return word.upper()

    @app.task(lane=lane)
    async def parent(ctx: ff.Context) -> list[object]:
        good = await ctx.gather([shout.of("a"), shout.of("b")])
        one = await ctx.call(shout.of("c"))
        mixed = await ctx.gather([shout.of("bad"), shout.of("d")], return_exceptions=True)
        try:
            await ctx.call(shout.of("bad"), name="again")
        except ff.ChildFailed as error:
            return [good, one, [str(type(m).__name__) for m in mixed], error.category]
        return []

    async with worker(app):
        result = await (await parent.submit()).result(timeout=60)
    assert result == [["A", "B"], "C", ["ChildFailed", "str"], "rude"]
    assert sorted(runs) == ["a", "b", "bad", "bad", "c", "d"]


async def test_cancelling_a_parent_cancels_its_children(app: ff.App, lane: str) -> None:
    ids: list[str] = []
    begun = asyncio.Event()

    @app.task(lane=lane)
    async def child(ctx: ff.Context) -> None:
        ids.append(ctx.execution_id)
        begun.set()
        await asyncio.sleep(600)

    @app.task(lane=lane)
    async def parent(ctx: ff.Context) -> None:
        await ctx.call(child.of())

    async with worker(app, lease_ttl="1s"):
        handle = await parent.submit()
        await asyncio.wait_for(begun.wait(), 30)
        await handle.cancel("enough")
        assert await child.handle(ids[0]).wait(timeout=30) == "cancelled"
