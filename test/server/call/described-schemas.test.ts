/** A tool is listed by the JSON Schema of its schemas, so one that has none is refused when the tool is registered. */
import { midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** As a schema of Zod 3 is: it validates by Standard Schema, and does not describe itself. */
const older = { '~standard': { version: 1, vendor: 'zod', validate: (value: unknown) => ({ value }) } } as never;

const tool = (config: object) => () =>
  midcall().tool(new McpServer({ name: 'test', version: '1.0.0' }), 'act', config, () => 'done');

it('an input schema that cannot describe itself is refused, and the error names the way out', () => {
  expect(tool({ inputSchema: older })).toThrow(/zod schema cannot describe itself as JSON Schema/);
});

it('an output schema that cannot describe itself is refused, and the error names the way out', () => {
  expect(tool({ outputSchema: older })).toThrow(
    /outputSchema must be a schema that describes itself as JSON Schema .* Zod 4\.2/,
  );
});

it('schemas that describe themselves as JSON Schema are taken', () => {
  expect(tool({ inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ n: z.number() }) })).not.toThrow();
});
