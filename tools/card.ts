/**
 * Makes the card, our App for hosts that show MCP Apps, as one HTML document, from tools/card and the parts of the desk and of
 * the core that it uses. The server library ships it as a module, which is checked in, so that the sources run without a build.
 * Run `npm run card` after a change of any of them; test/card/document.test.ts finds out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { addTexts } from '../packages/host/src/web/texts/add.ts';
import { serverTexts } from '../packages/host/src/web/texts/server.ts';
import { settingTexts } from '../packages/host/src/web/texts/settings.ts';
import { taskTexts } from '../packages/host/src/web/texts/task.ts';
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

/** Texts of the desk that no card shows. They are members of one object, so the bundler cannot tell. */
const unshown = { addTexts, serverTexts, settingTexts, taskTexts };

const withoutUnshown = {
  name: 'without-unshown-texts',
  transform(code: string) {
    const name = Object.keys(unshown).find(each => code.includes(`export const ${each} = {`));
    return name && `export const ${name} = {};`;
  },
};

/** What reads one of them would find nothing. */
function checkUnshown(code: string): void {
  const names = Object.values(unshown).flatMap(Object.keys);
  const read = new RegExp(`\\btexts(?:\\$\\d+)?\\.(?:${names.join('|')})\\b`).exec(code)?.[0];
  if (read !== undefined) throw new Error(`The card uses ${read}, which is left out of it.`);
}

async function script(): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'tools/card/app.ts'),
    platform: 'browser',
    resolve: { alias: coreSources() },
    // What the desk's modules do besides is of no use here.
    treeshake: { moduleSideEffects: id => id.endsWith('/tools/card/app.ts') },
    plugins: [withoutUnshown],
    // Modules of the desk that need Node are left out with what uses them.
    onLog() {},
  });
  const readable = await bundle.generate({ format: 'iife', minify: false });
  checkUnshown(readable.output[0].code);
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
