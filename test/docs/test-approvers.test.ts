/** Runs the test that docs/testing.md shows of a tool that asks others than the requester, with the handler of docs/elicitation.md. */
import '../../examples/docs/test-approvers.ts';
