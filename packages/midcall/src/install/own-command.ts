/** The file of this installation that runs as `midcall`. */
import { fileURLToPath } from 'node:url';

export const ownCommand = fileURLToPath(new URL('../../bin/midcall.js', import.meta.url));
