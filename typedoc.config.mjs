/** The API reference: every subpath of `package.json`'s exports, from its source. A warning fails (`npm run docs`). */
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  entryPoints: Object.values(exports).map(({ default: built }) =>
    built.replace('./dist/', 'src/').replace(/\.js$/u, '.ts'),
  ),
  tsconfig: 'tsconfig.build.json',
  basePath: 'src',
  out: 'api',
  name: 'Midcall',
  readme: 'none',
  excludePrivate: true,
  disableSources: true,
  skipErrorChecking: true, // tsc does that
  treatWarningsAsErrors: true,
  // Types that only spell out another, and the insides of objects that are passed around whole.
  intentionallyNotExported: [
    'src/connect/forms/item.ts:ItemValue',
    'src/connect/forms/item.ts:MayBeAbsent',
    'src/connect/oauth/client.ts:OAuthClient',
    'src/connect/oauth/flows.ts:Flows',
    'src/connect/vault/vault.ts:OAuthFlow',
    'src/form/input.ts:Described',
    'src/form/input.ts:Option',
    'src/form/input.ts:RawFormValue',
    'src/form/input.ts:ShorthandValue',
    'src/form/secret-in.ts:Asking',
    'src/form/wire.ts:Described',
    'src/form/wire.ts:TitledOption',
    'src/models/language-model.ts:ModelCall',
    'src/models/language-model.ts:RawGeneration',
    'src/roots/scope.ts:Scope',
    'src/sampling/sampling-tool.ts:Validated',
    'src/server/call.ts:Nothing',
    'src/server/call.ts:Uncarried',
    'src/host/web/form/draft.ts:Draft',
    'src/stores/entry.ts:SetOptions',
    'src/server/midcall.ts:ArgsOf',
  ],
  requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Variable'],
  validation: { invalidLink: true, notDocumented: true, notExported: true, rewrittenLink: true },
};
