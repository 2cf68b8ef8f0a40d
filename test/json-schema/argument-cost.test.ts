/** What the patterns of a tool's arguments could cost, counted before the schema's library matches them. */

import { argumentCost } from '@midcall/core/json-schema';
import { midcall } from '@midcall/server';
import { eras, negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const evil = `${'a'.repeat(33)}!`;
const explodes = /^(a+)+$/;

describe('the cost of arguments', () => {
  const text = { type: 'string', pattern: '^(a+)+$' };
  it.each<[string, object, unknown]>([
    ['a member', { properties: { a: text } }, { a: evil }],
    ['an item', { items: text }, ['a', evil]],
    ['one of the first items', { prefixItems: [{}, text] }, ['b', evil]],
    ['any other member', { additionalProperties: text }, { b: evil }],
    ['a member by its name', { patternProperties: { '^b': text } }, { b: evil }],
    ['the name of a member', { propertyNames: text }, { [evil]: 1 }],
    ['the name that a pattern selects', { patternProperties: { '^(a+)+$': {} } }, { [evil]: 1 }],
    ['an alternative', { anyOf: [{ type: 'null' }, { allOf: [text] }] }, evil],
    ['a definition', { properties: { a: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': text } }, { a: evil }],
    ['itself', { properties: { next: { $ref: '#' }, a: text } }, { next: { next: { a: evil } } }],
  ])('the cost of arguments is counted in %s', (_, schema, value) => {
    const cost = argumentCost(schema);
    expect(cost.uncounted).toBeUndefined();
    expect(cost.isWithin(value)).toBe(false);
    expect(cost.isWithin(JSON.parse(JSON.stringify(value).replaceAll(evil, 'aaa')))).toBe(true);
  });

  it('the cost of arguments ends for a schema that refers to itself without end', () => {
    const circle = { $ref: '#', pattern: '^a+$' };
    expect(argumentCost(circle).isWithin('a')).toBe(false);
  });

  it('the cost of a picture in base64, or of a long text on a line, is nothing to speak of', () => {
    const schema = z.toJSONSchema(z.object({ picture: z.base64(), words: z.string().regex(/^[a-z ]*$/) }));
    const cost = argumentCost(schema);
    expect(cost.isWithin({ picture: 'QUJD'.repeat(500_000), words: 'some words '.repeat(200_000) })).toBe(true);
    // It is not the length that lets it pass.
    expect(cost.isWithin({ picture: 'QUJD'.repeat(2_000_000) })).toBe(false);
  });

  it.each(['(?<=a)b', '(a)\\1', '(?<!a)b'])('the cost of the pattern %s cannot be counted', pattern => {
    expect(argumentCost({ properties: { a: { pattern } } }).uncounted).toBe(pattern);
    // A value of this name is no pattern.
    expect(argumentCost({ default: { pattern }, properties: { pattern: {} } }).uncounted).toBeUndefined();
  });
});

describe.each(eras)('a server of %s', era => {
  it('a server refuses a text that its pattern would take forever to match, at a tool and at a prompt', async () => {
    const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
    let runs = 0;
    const serving = (() => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const served = serveStdio(
        () => {
          const server = new McpServer({ name: 'fixture', version: '1.0.0' });
          mid.tool(server, 'act', { inputSchema: z.object({ a: z.string().regex(explodes) }) }, async ({ a }) => {
            runs += 1;
            return a;
          });
          mid.prompt(server, 'ask', { argsSchema: z.object({ a: z.string().regex(explodes) }) }, async ({ a }) => a);
          return server;
        },
        { transport: far },
      );
      onTestFinished(() => served.close());
      return near;
    })();
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
    await client.connect(serving);
    onTestFinished(() => client.close());
    const told = await client
      .callTool({ name: 'act', arguments: { a: evil } })
      .then(JSON.stringify, (error: Error) => error.message);
    expect(told).toContain('takes too long to check against its pattern');
    await expect(client.getPrompt({ name: 'ask', arguments: { a: evil } })).rejects.toThrow('takes too long to check');
    expect(runs).toBe(0);
    expect(await client.callTool({ name: 'act', arguments: { a: 'aaa' } })).toMatchObject({
      content: [{ text: 'aaa' }],
    });
    const { tools } = await client.listTools();
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { a: { pattern: '^(a+)+$' } } });
  });

  it('a server refuses it for a schema that a tool or a prompt is given later, too', async () => {
    const mid = midcall({ warn: () => {}, suspectBelowMs: 0 });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const evilLater = z.object({ a: z.string().regex(explodes) });
    const served = serveStdio(
      () => {
        const server = new McpServer({ name: 'fixture', version: '1.0.0' });
        const before = z.object({ a: z.string() });
        const tool = mid.tool(server, 'act', { inputSchema: before }, async ({ a }) => a);
        const prompt = mid.prompt(server, 'ask', { argsSchema: before }, async ({ a }) => a);
        tool.update({ paramsSchema: evilLater });
        prompt.update({ argsSchema: evilLater });
        const uncounted = z.object({ a: z.string().regex(/(a+)+\1/) });
        expect(() => tool.update({ paramsSchema: uncounted })).toThrow("mid.tool … update 'act'");
        expect(() => prompt.update({ argsSchema: uncounted })).toThrow("mid.prompt … update 'ask'");
        return server;
      },
      { transport: far },
    );
    onTestFinished(() => served.close());
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
    await client.connect(near);
    onTestFinished(() => client.close());
    const called = await client
      .callTool({ name: 'act', arguments: { a: evil } })
      .then(JSON.stringify, (error: Error) => error.message);
    expect(called).toContain('takes too long to check against its pattern');
    await expect(client.getPrompt({ name: 'ask', arguments: { a: evil } })).rejects.toThrow('takes too long to check');
    expect(await client.callTool({ name: 'act', arguments: { a: 'aaa' } })).toMatchObject({
      content: [{ text: 'aaa' }],
    });
  });

  it('a server does not start with a pattern whose cost cannot be counted', () => {
    const mid = midcall({ warn: () => {} });
    const server = new McpServer({ name: 'fixture', version: '1.0.0' });
    const inputSchema = z.object({ a: z.string().regex(/(a+)+\1/) });
    expect(() => mid.tool(server, 'act', { inputSchema }, () => 'done')).toThrow(
      "mid.tool 'act': the arguments have a pattern with a lookbehind or a backreference",
    );
    expect(() => mid.prompt(server, 'ask', { argsSchema: inputSchema }, () => 'done')).toThrow("mid.prompt 'ask'");
  });
});
