export { deskApp } from './app.ts';
export { type Assets, assetRoutes, loadAssets, loadPersonAssets, type PersonAssetPaths } from './assets.ts';
export { Guard, securityHeaders } from './guard.ts';
export { via } from './questions.ts';
