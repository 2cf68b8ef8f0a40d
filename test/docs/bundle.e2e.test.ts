/** The bundle in examples/bundle/: its manifest by MCPB's own schema, and its server with the key from the host's settings. */
import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getMcpConfigForManifest, hasRequiredConfigMissing, MANIFEST_SCHEMAS } from '@anthropic-ai/mcpb';
import { secretIn } from '@midcall/core/form';
import { Audit, Connection, commandTarget, Inbox } from '@midcall/host';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../examples/bundle', import.meta.url));
type Setting = {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly sensitive?: boolean;
};
interface Manifest {
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };
  };
  readonly user_config: Readonly<Record<string, Setting & { readonly default?: unknown }>>;
  readonly tools: readonly { readonly name: string }[];
}
const read = () => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
const schema = MANIFEST_SCHEMAS['0.4'];

/** What is wrong with how a manifest deals with secrets. */
function leaks({ server, user_config }: Manifest): readonly string[] {
  const sensitive = Object.entries(user_config).filter(([, each]) => each.sensitive === true);
  const open = Object.entries(user_config).filter(
    ([name, { sensitive: kept, ...each }]) => kept !== true && secretIn({ name, ...each, kind: 'text' }),
  );
  const written = server.mcp_config.args.join(' ') + server.mcp_config.command;
  return [
    ...open.map(([name]) => `${name} is a secret and not sensitive`),
    ...sensitive.filter(([name]) => written.includes(`user_config.${name}`)).map(([name]) => `${name} is an argument`),
    ...sensitive.filter(([, each]) => 'default' in each).map(([name]) => `${name} has a default`),
  ];
}

describe('the bundle', () => {
  it('004-13, 004-14: the bundle has a manifest of MCPB 0.4, which declares no permissions', () => {
    const manifest = read();
    expect(schema.safeParse(manifest).error).toBeUndefined();
    expect(manifest).not.toHaveProperty('permissions');
    expect(schema.safeParse({ ...manifest, permissions: {} }).success).toBe(false);
    expect(existsSync(join(folder, manifest.server.entry_point))).toBe(true);
  });

  it('004-13: the bundle takes its key as a sensitive setting, into the environment and into no argument', () => {
    const manifest = read();
    expect(manifest.user_config['weather_api_key']).toMatchObject({ type: 'string', sensitive: true, required: true });
    expect(leaks(manifest)).toEqual([]);
    expect(hasRequiredConfigMissing({ manifest: manifest as never, userConfig: {} })).toBe(true);
    const setting = manifest.user_config['weather_api_key']!;
    const changed = (key: object): Manifest => ({
      ...manifest,
      user_config: { weather_api_key: { ...setting, ...key } },
    });
    expect(leaks(changed({ sensitive: false }))).toEqual(['weather_api_key is a secret and not sensitive']);
    expect(leaks(changed({ default: 'k' }))).toEqual(['weather_api_key has a default']);
    const config = { ...manifest.server.mcp_config, args: ['--key', `\${user_config.${'weather_api_key'}}`] };
    expect(leaks({ ...manifest, server: { ...manifest.server, mcp_config: config } })).toEqual([
      'weather_api_key is an argument',
    ]);
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    '004-13: the bundle runs as a host runs it; the key is in nothing that the host or a model sees (%s)',
    async era => {
      const secret = 'wx-4f1c9b7a';
      const manifest = read();
      const config = (await getMcpConfigForManifest({
        manifest: manifest as never,
        extensionPath: folder,
        systemDirs: {},
        userConfig: { weather_api_key: secret },
        pathSeparator: sep,
      })) as Manifest['server']['mcp_config'];
      expect(config.env).toEqual({ WEATHER_API_KEY: secret });
      const command = [config.command === 'node' ? process.execPath : config.command, ...config.args];
      const start = async (env: Readonly<Record<string, string>>) => {
        const audit = new Audit();
        const target = { ...commandTarget(command), env };
        const client = { name: 'host', version: '1.0.0' };
        const connection = new Connection({ id: 'weather', target }, { client, era, inbox: new Inbox(), audit });
        await connection.start();
        const { tools } = await connection.catalogue();
        const outcome = await connection.run({ kind: 'tool', name: 'forecast', arguments: { place: 'Turin' } }).outcome;
        await connection.stop();
        return { tools, outcome, all: JSON.stringify([tools, outcome, audit.entries({})]) };
      };
      const given = await start(config.env);
      expect(given.tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
      expect(given.outcome).toMatchObject({ how: 'completed', result: { content: [{ text: 'Sunny in Turin.' }] } });
      expect(given.all).not.toContain(secret);
      const missing = await start({});
      expect(missing.outcome.how).toBe('tool-error');
      expect(missing.all).toContain("in your host's settings");
    },
  );
});
