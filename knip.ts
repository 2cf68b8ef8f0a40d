/** What outsiders enter the code by, beside what packages export, so that knip finds what nobody uses. */
import type { KnipConfig } from 'knip';
import { packageFolders } from './tools/places.ts';

const entries: Readonly<Record<string, readonly string[]>> = {
  // Run in the browser, read as files.
  'packages/host': ['src/web/client/{desk,again,offline,worker,person,find-session,inbox-worker}.ts'],
  // Where bin/midcall.js leads, once it is built.
  'packages/midcall': ['src/cli/main.ts'],
};

/** Its template is a project of its own. */
const startKit = 'packages/create-midcall';

const config: KnipConfig = {
  ignoreWorkspaces: [startKit],
  workspaces: {
    '.': {
      entry: [
        // Run by `npm run` and by tools/test.ts, which name them by their path.
        'tools/*.ts',
        // Read by `npm run site`.
        'docs/.vitepress/config.ts',
        // Runs in a frame of a host; tools/card.ts makes a document of it.
        'tools/card/app.ts',
        'tools/conformance/{client,server}.ts',
        'tools/bench/*.mjs',
        // Started by tests and read by documents.
        'examples/main.ts',
        'examples/migrate/main.ts',
        'examples/start/*.mjs',
        'examples/bundle/server.mjs',
        'examples/mount/docker/server.mjs',
        // Run in workerd, by test/examples/{mount,booking}.e2e.test.ts and test/connect/pages-anywhere.e2e.test.ts.
        'examples/{mount,booking}/worker.ts',
        'test/examples/contract-worker.ts',
        'test/connect/pages-worker.ts',
        // Run in these runtimes, by test/examples/runtimes.soak.test.ts.
        'examples/mount/{bun,deno}.ts',
        'test/**/*.{mjs,soak.test.ts}',
        // Only the compiler reads these.
        'test/types/*.ts',
      ],
      project: ['{test,examples}/**/*.{ts,mjs}', 'tools/{,bench/,conformance/}*.{ts,mjs}'],
      ignoreDependencies: [
        // Started by tools/check.ts, which puts the command together.
        '@biomejs/biome',
        // Started by their commands, in test/packages/installed.e2e.test.ts.
        '@arethetypeswrong/cli',
        'publint',
        // An optional peer of @midcall/server, which its tests need.
        'bullmq',
        // Started by their files: tools/places.ts.
        'oldest-compiler',
        'newest-compiler',
        // An older SDK, read as a folder there.
        'sdk-server-2.3',
        // Started by its file, in tools/conformance.ts.
        '@modelcontextprotocol/conformance',
        // Of examples/agents, installed by test/examples/agents.soak.test.ts.
        '@anthropic-ai/claude-agent-sdk',
        '@mastra/core',
        '@mastra/libsql',
        // Read as a file, to be put into a page.
        'axe-core',
      ],
    },
    ...Object.fromEntries(
      packageFolders
        .filter(folder => folder !== startKit)
        .map(folder => [
          folder,
          {
            entry: [...(entries[folder] ?? [])],
            project: ['src/**/*.ts'],
            // The command has our libraries inside, and so what these import: tools/bundle.ts checks that it is all used.
            ...(folder === 'packages/midcall' && { ignoreDependencies: [/^(?!@midcall\/)/] }),
          },
        ]),
    ),
  },
  // Optional peers are imported where they are used, and only there: test/packages/installed.e2e.test.ts.
  exclude: ['optionalPeerDependencies'],
  // A type that an exported signature speaks of is exported, so that its users can name it.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Of the system, where tests and examples use them.
  ignoreBinaries: ['mount', 'umount', 'prlimit', 'mkfifo', 'setpriv', 'gcc'],
};

export default config;
