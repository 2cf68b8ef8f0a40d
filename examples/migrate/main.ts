/** Serves the shop of the migration pages over standard input and output: `main.ts <sdk-v1|fastmcp|after>`. */
import { sampleShop } from './shop.ts';

const shop = sampleShop();
switch (process.argv[2]) {
  case 'sdk-v1':
    await (await import('./sdk-v1.ts')).startSdkV1(shop);
    break;
  case 'fastmcp':
    await (await import('./fastmcp.ts')).startFastMcp(shop);
    break;
  default:
    (await import('./after.ts')).startMidcall(shop);
}
