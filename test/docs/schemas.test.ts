/** The JSON schemas that ship for editors say the same as the code that reads the files. */
import { readFileSync } from 'node:fs';
import { judgeBySchema } from '@midcall/core/json-schema';
import { describe, expect, it } from 'vitest';
import { readServerAuth } from '../../packages/host/src/authorization/index.ts';
import { readRules } from '../../packages/host/src/rules/rule.ts';

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const schemas = {
  rules: read('packages/midcall/schemas/rules.schema.json'),
  auth: read('packages/midcall/schemas/auth.schema.json'),
};
const readers = {
  rules: (value: unknown) => readRules(value),
  auth: (value: unknown) => readServerAuth("'auth'", value, text => text),
};

function takes(what: keyof typeof readers, value: unknown): boolean {
  try {
    readers[what](value);
    return true;
  } catch {
    return false;
  }
}

const rule = { server: 'github', tools: '*', effect: 'ask' };
const { mcpServers } = read('examples/docs/sign-in.mcp.json') as { mcpServers: Record<string, { auth?: unknown }> };

describe('a schema for editors takes what its reader takes', () => {
  it.each([
    ['rules', read('examples/docs/rules.json')],
    ['rules', [{ ...rule, assurance: 'out-of-band', within: 1, labels: { to: 'Receiver' } }]],
    ['rules', [{ ...rule, assurance: 'in-band', grant: 'fields', grantFor: 86_400_000 }]],
    ['rules', [{ ...rule, tools: { annotated: 'not-destructive' } }]],
    ['rules', read('examples/docs/rules-approvers.json')],
    ['rules', [{ ...rule, assurance: 'present' }]],
    ...Object.values(mcpServers).flatMap(({ auth }) => (auth === undefined ? [] : [['auth', auth] as const])),
    ['auth', { clientId: 'a', scopes: ['x'], redirectPort: 80, redirectHost: 'localhost', resource: false }],
    ['auth', { clientMetadataUrl: 'https://a.example/b', assumePkce: true, scopeAtRefresh: true }],
  ] as const)('a schema for editors takes what its reader takes: %s, in row %# of the table', (what, value) => {
    expect([takes(what, value), judgeBySchema(schemas[what], value).verdict]).toEqual([true, 'fits']);
  });
});

describe('a schema for editors refuses what its reader refuses', () => {
  it.each([
    ['rules', {}],
    ['rules', [{ server: 'github', tools: '*' }]],
    ['rules', [{ ...rule, effect: 'deny' }]],
    ['rules', [{ ...rule, tool: 'x' }]],
    ['rules', [{ ...rule, tools: [] }]],
    ['rules', [{ ...rule, tools: { annotated: 'safe' } }]],
    ['rules', [{ ...rule, within: 0 }]],
    ['rules', [{ ...rule, from: '' }]],
    ['rules', [{ ...rule, from: 'finance', count: 101 }]],
    ['rules', [{ ...rule, from: 'finance', not: 'me' }]],
    ['rules', [{ ...rule, grant: 'all' }]],
    ['rules', [{ ...rule, grantFor: 86_400_001 }]],
    ['rules', [{ ...rule, labels: { to: '' } }]],
    ['rules', [{ ...rule, where: 'x' }]],
    ['auth', []],
    ['auth', { flow: 'implicit' }],
    ['auth', { client: 'a' }],
    ['auth', { scopes: ['a b'] }],
    ['auth', { redirectPort: 0 }],
    ['auth', { redirectHost: '0.0.0.0' }],
    ['auth', { resource: true }],
    ['auth', { assumePkce: false }],
    ['auth', { clientId: '' }],
  ] as const)('a schema for editors refuses what its reader refuses: %s: %j', (what, value) => {
    expect([takes(what, value), judgeBySchema(schemas[what], value).verdict]).toEqual([false, 'differs']);
  });
});
