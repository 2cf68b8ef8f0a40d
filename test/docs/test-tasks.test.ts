/** The code of docs/testing.md that tests a task. */
import '../../examples/docs/test-tasks.ts';
