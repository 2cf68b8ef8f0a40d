/**
 * Mutants: places where a MUST or MUST NOT could be broken, one edit each, in tools/conformance/mutants.json. Applied in a copy
 * of the clone, one at a time, each must be caught by the tests that name its requirement in their titles.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../../tools/places.ts';
import { testsNamed } from '../../tools/tests-named.ts';

export interface Mutant {
  readonly ids: readonly string[];
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

export const mutants = JSON.parse(
  readFileSync(join(root, 'tools/conformance/mutants.json'), 'utf8'),
) as readonly Mutant[];

const named = testsNamed();

/** The files whose tests hold a requirement and run in this process: quick, and enough. */
export const quickFilesOf = (id: string): readonly string[] =>
  (named.get(id) ?? []).filter(file => !/\.(?:e2e|browser)\.test\.ts$/.test(file));

/** Matches the names of the tests that hold one of the requirements, for `vitest -t`. */
export const namesOf = (ids: readonly string[]): string =>
  `(?<![\\w-])(?:${ids.join('|')})(?:, [\\w-]+)*(?:; [\\w, -]+)?: `;

/** The file with the mutant in it. @throws where its place is not there exactly once */
export function mutated({ file, find, replace }: Mutant, text = readFileSync(join(root, file), 'utf8')): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} holds ${after === undefined ? 'no' : 'more than one'} place like this: ${find}`);
  return before + replace + after;
}

/** `count` of the ids that have a mutant, the same for the same seed. */
export function draw(seed: number, count: number): readonly string[] {
  const left = mutants.flatMap(({ ids }) => ids).sort();
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(next() * left.length), 1)[0]!,
  );
}

/** What the compiler says of a file with the mutant in it; the program is read once. */
export function compiler(): (mutant: Mutant) => readonly string[] {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const changed = new Map<string, string>();
  let version = 0;
  const read = (name: string) => changed.get(name) ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...config.options, noEmit: true, incremental: false }),
    getScriptFileNames: () => mutants.map(({ file }) => join(root, file)),
    getScriptVersion: name => (changed.has(name) ? String(version) : '0'),
    getScriptSnapshot(name) {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: read,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return mutant => {
    const name = join(root, mutant.file);
    changed.set(name, mutated(mutant));
    version++;
    const found = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)];
    changed.delete(name);
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
}

/** A copy of the clone that tests run in. */
export interface Copy {
  /** Runs the quick tests that hold one of the requirements. @returns the names of those that failed */
  run(ids: readonly string[]): Promise<readonly string[]>;
  apply(mutant: Mutant): void;
  restore(mutant: Mutant): void;
  remove(): void;
}

const leftOut = new Set(['node_modules', 'dist', '.git', 'coverage']);

export function copy(): Copy {
  const place = mkdtempSync(join(tmpdir(), 'midcall-mutants-'));
  const wanted = (path: string) => !leftOut.has(relative(root, path).split('/')[0]!);
  cpSync(root, place, { recursive: true, filter: wanted });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  const write = (file: string, text: string) => writeFileSync(join(place, file), text);
  return {
    apply: mutant => write(mutant.file, mutated(mutant)),
    restore: ({ file }) => write(file, readFileSync(join(root, file), 'utf8')),
    remove: () => rmSync(place, { recursive: true, force: true }),
    run: ids => runTests(place, ids),
  };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

async function runTests(place: string, ids: readonly string[]): Promise<readonly string[]> {
  const files = [...new Set(ids.flatMap(quickFilesOf))];
  const output = join(place, 'mutant-report.json');
  const args = ['run', '--project', 'unit', '--reporter=json', `--outputFile=${output}`, '-t', namesOf(ids), ...files];
  const { NODE_OPTIONS: _, MIDCALL_FRAMES_DIR: __, VITEST: ___, ...env } = process.env;
  await new Promise(resolve => {
    execFile(process.execPath, [join(place, 'node_modules/vitest/vitest.mjs'), ...args], { cwd: place, env }, resolve);
  });
  const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
  rmSync(output);
  const ran = report.testResults
    .flatMap(each => each.assertionResults)
    .filter(({ status }) => status !== 'skipped' && status !== 'pending');
  const broken = report.testResults.filter(each => each.status === 'failed' && each.assertionResults.length === 0);
  if (ran.length === 0 && broken.length === 0) throw new Error(`No test of these was run: ${ids.join(', ')}`);
  return [
    ...ran.filter(({ status }) => status === 'failed').map(each => each.fullName),
    ...broken.map(each => each.name),
  ];
}
