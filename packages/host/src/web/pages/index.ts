export {
  addPage,
  type FoundList,
  hostsPage,
  type Imported,
  importedPage,
  type NeedyServer,
  packagePage,
  valuesPage,
} from './add-page.ts';
export { auditPage } from './audit-page.ts';
export { callPage, nextQuestion, questionPage, type Returned } from './call-page.ts';
export { comparable, comparePage, lastBefore } from './compare-page.ts';
export { editPage } from './edit-page.ts';
export { findPage } from './find-page.ts';
export { historyPage } from './history-page.ts';
export { homePage } from './home-page.ts';
export { inboxPage } from './inbox-page.ts';
export { keptBox } from './kept-box.ts';
export {
  type AssetPaths,
  announceRegion,
  backLink,
  type Content,
  layout,
  noticePage,
  openingPage,
  type PageAssets,
  pages,
  questionItem,
} from './layout.ts';
export { modelsPage } from './models-page.ts';
export { type ArgumentsContext, argumentsForm, offerPage } from './offer-page.ts';
export { pager } from './pager.ts';
export { againPath, callPath, offerPath, questionPath, serverPath, togetherPath } from './paths.ts';
export { type GrantsView, policyPage } from './policy-page.ts';
export { blocksOf, mediaOf, textOf } from './result.ts';
export { rootsPage } from './roots-page.ts';
export { serverPage } from './server-page.ts';
export { type Settings, settingsPage } from './settings-page.ts';
export { table } from './table.ts';
export { tasksPage } from './tasks-page.ts';
export { endedEntries, endingChip, waitEntry } from './timeline.ts';
export { type TogetherView, togetherPage } from './together-page.ts';
export { type DrawerSession, wireDrawer, wirePage } from './wire-page.ts';
