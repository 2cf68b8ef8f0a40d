/** A tool that a person names and a server does not have. */
import { noSuchTool } from '@midcall/core/errors';
import { expect, it } from 'vitest';

it('the error of an unknown tool names the tools there are, and no more than a person reads', () => {
  const tools = Array.from({ length: 20_000 }, (_, at) => ({ name: `tool-${at}` }));
  expect(noSuchTool('x', tools.slice(0, 2)).message).toBe("The server has no tool 'x'. It has: tool-0, tool-1.");
  expect(noSuchTool('x', []).message).toBe("The server has no tool 'x'. It has: none.");
  expect(noSuchTool('x', tools).message).toMatch(/, tool-49, 19,950 more\.$/);
});
