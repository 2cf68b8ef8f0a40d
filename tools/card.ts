/**
 * Makes the card, our App for hosts that show MCP Apps, as one HTML document, from tools/card and the parts of the desk and of
 * the core that it uses. The server library ships it as a module, which is checked in, so that the sources run without a build.
 * Run `npm run card` after a change of any of them; test/card/document.test.ts finds out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { style } from './card/style.ts';
import { root, sourceOf } from './places.ts';

/** Where the card is. */
export const cardModule = join(root, 'packages/server/src/questions/card/card-document.ts');

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
}

/** Each entry of the core, as its source. */
function coreSources(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8')) as Manifest;
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, { default: built }]) =>
      built === undefined
        ? []
        : [[`@midcall/core${entry.slice(1)}`, join(root, sourceOf('packages/core', built))] as const],
    ),
  );
}

async function script(): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'tools/card/app.ts'),
    platform: 'browser',
    resolve: { alias: coreSources() },
    // What the desk's modules do besides is of no use here.
    treeshake: { moduleSideEffects: id => id.endsWith('/tools/card/app.ts') },
    // Modules of the desk that need Node are left out with what uses them.
    onLog() {},
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  const [{ code }] = output;
  if (/node:|require\(/.test(code)) throw new Error('The card uses something that only Node has.');
  return code.trim().replaceAll('</script', '<\\/script');
}

/** The module that ships the card. */
export async function makeCard(): Promise<string> {
  const policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";
  const document = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Question</title><style>${style.replaceAll(/\n+/g, '\n').trim()}</style></head>
<body><main id="card"></main><script>${await script()}</script></body></html>
`;
  return `/** Our App, as a document. Made by tools/card.ts: \`npm run card\`. */
export const cardDocument: string = ${JSON.stringify(document)};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(cardModule, await makeCard());
