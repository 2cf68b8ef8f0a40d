/**
 * Lets Node run TypeScript: `node --import ./tools/load-typescript.mjs FILE.ts`. Takes the types out of each file, for
 * versions of Node that do not do it themselves. JavaScript, as something has to load the first file.
 *
 * What came of a file is kept under node_modules: the compiler takes half a second of processor time to load, and tests start
 * hundreds of such processes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Hooks run in a thread of their own, which loads this file as well.
if (isMainThread && !process.features.typescript) register(import.meta.url);

const folder = fileURLToPath(new URL('../node_modules/.cache/midcall-typescript/', import.meta.url));
const { version } = createRequire(import.meta.url)('typescript/package.json');

/** What makes a compiled file another one: its source, its name in the source map, the compiler, and how it is called here. */
const nameOf = (fileName, source) =>
  `${createHash('sha256')
    .update(JSON.stringify([version, compile.toString(), fileName, source]))
    .digest('hex')}.js`;

async function compile(fileName, source) {
  const { default: typescript } = await import('typescript');
  const compilerOptions = {
    target: typescript.ScriptTarget.ES2023,
    module: typescript.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  return typescript.transpileModule(source, { fileName, compilerOptions }).outputText;
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Renamed into place, as another process may be reading it. A folder that cannot be written costs time only. */
function keep(path, text) {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // Compiled again the next time.
  }
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const fileName = fileURLToPath(url);
  const text = readFileSync(fileName, 'utf8');
  const path = `${folder}${nameOf(fileName, text)}`;
  let source = read(path);
  if (source === undefined) {
    source = await compile(fileName, text);
    keep(path, source);
  }
  return { format: 'module', source, shortCircuit: true };
}
