#!/usr/bin/env node
const module_ = require('node:module');

// Node 22 and later keep what they have compiled.
module_.enableCompileCache?.();
require('../command/dist/main.cjs');
