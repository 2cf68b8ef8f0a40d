import { attach, Inbox, outputValidator } from '@midcall/host';
import { connectPair, eras } from '@midcall/testing';
import { Client, type jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';

const lookahead = { type: 'object', properties: { a: { type: 'string', pattern: '^(?=a)' } } } as const;
const info = { name: 'host', version: '1.0.0' };
const attached = (client: Client) => attach(client, { server: { id: 's', origin: 's' }, inbox: new Inbox() });

describe('the validator of output schemas', () => {
  it('the validator refuses what it could not check where nobody is told, and says so', () => {
    const check = outputValidator().getValidator(lookahead);
    expect(check({ a: 'b' })).toEqual({
      valid: false,
      data: undefined,
      errorMessage: 'it was not checked, because the schema has a pattern that is not checked here',
    });
    expect(check({ a: 1 })).toMatchObject({ valid: false, errorMessage: 'a must be string' });
    expect(check({})).toMatchObject({ valid: true });
  });

  it('the validator hands on what it could not check where somebody is told', () => {
    const told: string[] = [];
    const check = outputValidator(why => told.push(why)).getValidator(lookahead);
    expect(check({ a: 'b' })).toMatchObject({ valid: true, data: { a: 'b' } });
    expect(told).toEqual(['the schema has a pattern that is not checked here']);
  });

  it('the validator takes the place of the SDK’s default, and of nothing the author chose', () => {
    const given: jsonSchemaValidator = {
      getValidator: () => () => ({ valid: false, data: undefined, errorMessage: '' }),
    };
    const custom = new AjvJsonSchemaValidator({} as never);
    const inside = (client: Client) => (client as unknown as { _jsonSchemaValidator: unknown })._jsonSchemaValidator;
    for (const chosen of [given, custom]) {
      const client = new Client(info, { jsonSchemaValidator: chosen });
      attached(client);
      expect(inside(client)).toBe(chosen);
    }
    const plain = new Client(info);
    expect(inside(plain)).toBeInstanceOf(AjvJsonSchemaValidator);
    attached(plain);
    expect(inside(plain)).not.toBeInstanceOf(AjvJsonSchemaValidator);
  });

  it.each(eras)('the validator warns in tests of an author’s own server, %s', async era => {
    const any = { version: 1 as const, vendor: 'any', validate: (value: unknown) => ({ value }) };
    const schemaOf = (schema: object) =>
      ({
        '~standard': { ...any, jsonSchema: { input: () => schema, output: () => schema } },
      }) as StandardSchemaWithJSON;
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await using pair = await connectPair(
      () => {
        const server = new McpServer({ name: 'own', version: '1.0.0' });
        const described = { inputSchema: schemaOf({ type: 'object' }), outputSchema: schemaOf(lookahead) };
        server.registerTool('t', described, () => ({ content: [], structuredContent: { a: 'b' } }));
        return server;
      },
      { era },
    );
    await pair.client.listTools();
    expect(await pair.client.callTool({ name: 't' })).toMatchObject({ structuredContent: { a: 'b' } });
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      'Structured content was not checked against its output schema, because the schema has a pattern that is not checked here.',
    ]);
    warned.mockRestore();
  });
});
