/**
 * Keeps the documents' code true: the fenced block below `<!-- snippet: path#region -->` is that region of a file that CI
 * runs, and every other TypeScript, JavaScript or Python fence is an error. Writes the documents, with a fence below each marker
 * that has none, or with `--check` says which of them are not in step.
 *
 * A region is what stands between `// #region name` and the next `// #endregion`, in Python without the slashes; parts of the
 * same name follow one another, so that a page can show the imports of its code. A marker without `#region` means the whole file.
 *
 * Also keeps llms.txt, which lists the documents for models (llmstxt.org), in step with docs/README.md.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chapters, type Document } from './documents.ts';

const check = process.argv.includes('--check');
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...under('docs'),
  ...under('examples'),
  ...readdirSync('packages').map(name => join('packages', name, 'README.md')),
  ...under('packages/midcall/skills'),
].filter(path => path.endsWith('.md'));

function under(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path));
  } catch {
    return [];
  }
}

function region(reference: string): string {
  const [path = '', name] = reference.split('#');
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  if (name === undefined) return text.trimEnd();
  const lines = text.split('\n');
  const parts: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (withoutSlashes(lines[index]!) !== `#region ${name}`) continue;
    const end = lines.findIndex((line, at) => at > index && withoutSlashes(line).startsWith('#endregion'));
    if (end < 0) throw new Error(`${path}: region '${name}' does not end`);
    parts.push(dedented(lines.slice(index + 1, end)));
    index = end;
  }
  if (parts.length === 0) throw new Error(`${path} has no region '${name}'`);
  return parts.join('\n\n');
}

function dedented(lines: readonly string[]): string {
  const body = lines.filter(line => !line.trim().startsWith('// biome-ignore'));
  const indent = Math.min(...body.filter(line => line.trim() !== '').map(line => line.search(/\S/)));
  return body
    .map(line => line.slice(indent))
    .join('\n')
    .trim();
}

function withoutSlashes(line: string): string {
  return line.trim().replace(/^\/\/ /, '');
}

const problems: string[] = [];
for (const document of documents) {
  const before = readText(document);
  if (before === undefined) continue;
  let claimed = 0;
  const fenced = before.replace(
    /^(<!-- snippet: (\S+?)(?:#\S+)? -->)\n(?!\n*```)/gm,
    (_, marker: string, path: string) => `${marker}\n\`\`\`${languageOf(path)}\n\`\`\`\n`,
  );
  const after = fenced.replace(
    /(<!-- snippet: (\S+) -->\n+)```(\w+)\n(?:[\s\S]*?\n)??```$/gm,
    (fence, head: string, reference: string, language: string) => {
      claimed++;
      try {
        return `${head}\`\`\`${language}\n${region(reference)}\n\`\`\``;
      } catch (error) {
        problems.push(`${document}: ${(error as Error).message}`);
        return fence;
      }
    },
  );
  const fences = [...fenced.matchAll(/^```(?:ts|tsx|js|mjs|typescript|javascript|py|python)\b/gm)].length;
  if (fences > claimed) problems.push(`${document}: ${fences - claimed} code blocks come from no file`);
  if (after === before) continue;
  if (check) problems.push(`${document} is not in step with its code: run npm run snippets`);
  else writeFileSync(document, after);
}

const listed = `# Midcall

> Ask the person, mid-call: a TypeScript toolkit for the human side of the Model Context Protocol: elicitation, roots and sampling.
${chapters()
  .map(({ title, documents }) => `\n## ${title ?? 'Quick starts'}\n\n${documents.map(listedLine).join('')}`)
  .join('')}`;
if (readText('llms.txt') !== listed) {
  if (check) problems.push('llms.txt is not in step with docs/README.md: run npm run snippets');
  else writeFileSync('llms.txt', listed);
}

/** What llms.txt says of a document. */
function listedLine({ title, path, about }: Document): string {
  const { href } = new URL(path, 'https://raw.githubusercontent.com/midcall/midcall/main/docs/');
  return `- [${title}](${href}): ${about.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')}\n`;
}

/** What a file's code is called below a marker. */
function languageOf(path: string): string {
  const ending = path.split(/[./]/).at(-1)!.toLowerCase();
  return { mjs: 'js', py: 'python', txt: 'text' }[ending] ?? ending;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
