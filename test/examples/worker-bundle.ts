/** A module with all it imports, as one file for workerd, and workerd itself. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What docs/mount.md says that a worker needs. */
const wrangler = JSON.parse(readFileSync(`${root}examples/mount/wrangler.json`, 'utf8')) as {
  readonly compatibility_date: string;
  readonly compatibility_flags: string[];
  readonly vars: Readonly<Record<string, string>>;
};

/**
 * @param module - its path in the repository; packages are taken from their builds
 * @param env - variables of the worker
 * @param durableObjects - classes that the module exports, by the names they are bound to
 */
export async function startWorker(
  module: string,
  env: Readonly<Record<string, string>>,
  durableObjects: Readonly<Record<string, string>> = {},
): Promise<Miniflare> {
  const bundle = bundles.get(module) ?? bundled(module);
  bundles.set(module, bundle);
  return new Miniflare({
    modules: true,
    script: await bundle,
    compatibilityDate: wrangler.compatibility_date,
    compatibilityFlags: wrangler.compatibility_flags,
    bindings: { ...wrangler.vars, ...env },
    durableObjects: { ...durableObjects },
  });
}

const bundles = new Map<string, Promise<string>>();

async function bundled(module: string): Promise<string> {
  const bundle = await rolldown({
    input: `${root}${module}`,
    cwd: root,
    platform: 'browser',
    external: [/^node:/],
    resolve: { conditionNames: ['workerd', 'worker', 'import'] },
    // The SDK's own modules say more than once what they import.
    logLevel: 'silent',
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}
