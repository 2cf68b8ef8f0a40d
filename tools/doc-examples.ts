/**
 * The examples in doc comments, as files that the type check reads: each `@example` of the packages becomes one in
 * test/types/examples, named after where it stands. Names that an example does not declare are imported: from the entry of its
 * package that has them, or from test/types/example-context.ts. Fails if a value that authors import has no example.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { sourceOf as placeOf, root } from './places.ts';

const made = join(root, 'test/types/examples');
/** Packages that authors import; `midcall` is a command, and nobody installs the core by itself. */
const packages = ['server', 'host', 'testing', 'inbox'];

const parse = (path: string) =>
  ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, /* setParentNodes */ true);

/** The source of an entry that a package exports, by what importers call it. */
function entriesOf(folder: string): readonly (readonly [string, string])[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return Object.entries(exports).flatMap(([entry, built]) => {
    if (typeof built === 'string') return [];
    const source = join(root, placeOf(`packages/${folder}`, built.default));
    return [[`${name}${entry.slice(1)}`, source] as const];
  });
}

const coreEntries = new Map(entriesOf('core'));
const sourceOf = (from: string, module: string): string =>
  module.startsWith('.') ? join(dirname(from), module) : (coreEntries.get(module) ?? module);

/** What a file exports by name: the file it comes from, and whether it is only a type. */
function namesOf(file: string): ReadonlyMap<string, { readonly from: string | undefined; readonly isType: boolean }> {
  const names = new Map<string, { readonly from: string | undefined; readonly isType: boolean }>();
  for (const statement of parse(file).statements) {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      const module = statement.moduleSpecifier as ts.StringLiteral | undefined;
      const from = module && sourceOf(file, module.text);
      for (const { name, isTypeOnly } of statement.exportClause.elements)
        names.set(name.text, { from, isType: isTypeOnly || statement.isTypeOnly });
    } else if (
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(each => each.kind === ts.SyntaxKind.ExportKeyword)
    ) {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      const declared = ts.isVariableStatement(statement)
        ? statement.declarationList.declarations.map(each => each.name.getText())
        : [(statement as ts.FunctionDeclaration).name?.text ?? ''];
      for (const name of declared) names.set(name, { from: undefined, isType });
    }
  }
  return names;
}

/** The comment of a declaration, through the doors that pass its name on. */
function commentOf(file: string, name: string): { readonly file: string; readonly comment: string } {
  const from = namesOf(file).get(name)?.from;
  if (from !== undefined) return commentOf(from, name);
  const source = parse(file);
  const declaration = source.statements.find(each =>
    ts.isVariableStatement(each)
      ? each.declarationList.declarations.some(one => one.name.getText() === name)
      : (each as ts.FunctionDeclaration).name?.text === name,
  );
  const comments = declaration ? ts.getJSDocCommentsAndTags(declaration).map(each => each.getText()) : [];
  return { file, comment: comments.join('\n') };
}

const entries = packages.flatMap(entriesOf);
const exported = new Map(entries.map(([entry, file]) => [entry, namesOf(file)]));
const context = 'test/types/example-context.ts';
const inContext = namesOf(join(root, context));

const missing = entries.flatMap(([entry, file]) =>
  [...exported.get(entry)!]
    .filter(([, { isType }]) => !isType)
    .map(([name]) => ({ name, ...commentOf(file, name) }))
    .filter(({ comment }) => !comment.includes('@example'))
    .map(each => `${entry}: ${each.name} (${relative(root, each.file)}) has no @example`),
);

interface Example {
  /** The file of the comment, from the root, and its line. */
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

function examplesOf(file: string): readonly Example[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^ *\* @example\n((?: *\*.*\n)+?) *\* ```$/gm)].map(match => {
    const lines = match[1]!.split('\n').map(line => line.replace(/^ *\* ?/, ''));
    const line = text.slice(0, match.index).split('\n').length;
    if (lines[0] !== '```ts') throw new Error(`${file}:${line}: an example begins with \`\`\`ts`);
    return { file, line, code: lines.slice(1).join('\n') };
  });
}

/** The names that code uses and does not declare, as far as its syntax tells. */
function freeNames(code: string): readonly string[] {
  const [used, declared] = [new Set<string>(), new Set<string>()];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      const isMember =
        (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
        ((ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node);
      const isDeclared =
        (ts.isVariableDeclaration(parent) ||
          ts.isParameter(parent) ||
          ts.isBindingElement(parent) ||
          ts.isFunctionDeclaration(parent) ||
          ts.isImportSpecifier(parent)) &&
        parent.name === node;
      if (isDeclared) declared.add(node.text);
      else if (!isMember) used.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, /* setParentNodes */ true));
  return [...used].filter(name => !declared.has(name));
}

/** The entries of a package from the nearest to the farthest from a file. */
const nearest = (file: string): readonly string[] =>
  entries
    .map(([entry, source]) => ({ entry, folder: `${dirname(relative(root, source))}/`, own: entry }))
    .sort((a, b) => shared(b.folder, file) - shared(a.folder, file))
    .map(({ entry }) => entry);
const shared = (folder: string, file: string): number =>
  file.startsWith(folder) ? folder.length : folder.split('/')[1] === file.split('/')[1] ? 1 : 0;

function module({ file, code }: Example): string {
  const imports = freeNames(code).flatMap(name => {
    const entry = nearest(file).find(each => exported.get(each)!.has(name));
    if (entry !== undefined)
      return [
        `import { type ${name} } from '${entry}';`.replace(
          'type ',
          exported.get(entry)!.get(name)!.isType ? 'type ' : '',
        ),
      ];
    return inContext.has(name) ? [`import { ${name} } from '../example-context.ts';`] : [];
  });
  return [...imports, code, 'export {};'].join('\n');
}

const sources = packages
  .concat('core')
  .flatMap(name =>
    readdirSync(join(root, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }).map(path =>
      join('packages', name, 'src', path),
    ),
  )
  .filter(path => path.endsWith('.ts'));
rmSync(made, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
for (const example of sources.flatMap(examplesOf)) {
  const name = `${example.file
    .replace(/^packages\/|\.ts$/g, '')
    .replace('/src/', '/')
    .replaceAll('/', '-')}-${example.line}.ts`;
  writeFileSync(join(made, name), module(example));
}
if (missing.length > 0) {
  console.error(missing.join('\n'));
  process.exit(1);
}
