#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep what they have compiled.
module.enableCompileCache?.();
await import('../command/dist/main.js');
