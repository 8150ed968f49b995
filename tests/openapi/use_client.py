"""use_client.py <url> <token>: create, list, claim, suspend, signal, claim again, complete, by the generated client."""

from __future__ import annotations

import sys
from typing import TypeVar

from fabric_client import AuthenticatedClient
from fabric_client.api.executions import (
    complete_execution,
    create_execution,
    get_execution,
    list_executions,
    signal_execution,
    suspend_execution,
)
from fabric_client.api.workers import claim_tasks
from fabric_client.models import (
    ClaimedTasks,
    ClaimTasksRequest,
    CompletedTask,
    CompleteExecutionRequest,
    CreatedExecution,
    CreatedExecutionStatus,
    CreateExecutionRequest,
    Error,
    Execution,
    ExecutionPage,
    ListedExecution,
    PublicState,
    SignalExecutionRequest,
    SignalReceipt,
    SignalReceiptStatus,
    SuspendExecutionRequest,
    SuspensionReceipt,
    Task,
)

Answer = TypeVar("Answer")


def of_type(kind: type[Answer], answer: object) -> Answer:
    assert isinstance(answer, kind), answer
    return answer


def claim(client: AuthenticatedClient) -> Task:
    body = ClaimTasksRequest(worker_instance_id="w-1", lanes=["generated"], wait_ms=10000)
    tasks = of_type(ClaimedTasks, claim_tasks.sync("w", client=client, body=body)).tasks
    assert len(tasks) == 1, tasks
    return tasks[0]


def main() -> None:
    with AuthenticatedClient(sys.argv[1], token=sys.argv[2], timeout=None) as client:
        wanted = CreateExecutionRequest(execution_kind="greet", lane_id="generated", payload="Ada")
        created = of_type(CreatedExecution, create_execution.sync(client=client, body=wanted))
        assert created.status is CreatedExecutionStatus.CREATED
        page = of_type(ExecutionPage, list_executions.sync(client=client, lane="generated"))
        listed = [of_type(ListedExecution, one) for one in page.executions]
        assert [one.execution_id for one in listed] == [created.execution_id]

        task = claim(client)
        assert task.execution_id == created.execution_id and task.payload == "Ada"
        pause = SuspendExecutionRequest(task_token=task.task_token, signals=["go"])
        paused = of_type(SuspensionReceipt, suspend_execution.sync(task.execution_id, client=client, body=pause))
        signal = SignalExecutionRequest(
            signal_name="go", waitpoint_id=paused.waitpoint_id, waitpoint_token=paused.waitpoint_token
        )
        receipt = of_type(SignalReceipt, signal_execution.sync(task.execution_id, client=client, body=signal))
        assert receipt.status is SignalReceiptStatus.ACCEPTED

        task = claim(client)
        result = CompleteExecutionRequest(task_token=task.task_token, result="Hello, Ada")
        done = of_type(CompletedTask, complete_execution.sync(task.execution_id, client=client, body=result))
        assert done.public_state is PublicState.COMPLETED and not done.replayed
        found = of_type(Execution, get_execution.sync(task.execution_id, client=client))
        assert found.public_state is PublicState.COMPLETED and found.total_attempt_count == 1

        refused = of_type(Error, get_execution.sync("no-id", client=client))
        assert refused.code == "invalid_input" and not refused.retryable


main()
