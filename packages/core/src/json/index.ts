export { blocksAside, blocksBack, partsAside } from './blocks-aside.ts';
export { canonical } from './canonical.ts';
export { forModels, isForApps, isForModels, isForPeople } from './for-people.ts';
export type { JsonLoss } from './json-loss.ts';
export { jsonLoss, lossText } from './json-loss.ts';
export { fromJson, nests, parseShallow, textNests, tooDeeply } from './nesting.ts';
export { defined, isRecord, type JsonObject, own } from './record.ts';
export { isTexts } from './texts.ts';
