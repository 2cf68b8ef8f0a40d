#!/usr/bin/env node
// In words that any Node understands: older ones cannot require what is in the bundle, and would only show a stack.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)) {
  process.stderr.write(
    `midcall needs Node 22.12 or newer, or Node 20 from 20.19 on; this is ${process.versions.node}.\n`,
  );
  process.exit(70);
}

const module_ = require('node:module');

// Node 22 and later keep what they have compiled.
if (module_.enableCompileCache) module_.enableCompileCache();
require('../command/dist/main.cjs');
