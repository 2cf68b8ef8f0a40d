/** The file that is run as `midcall`, of this very installation. */
import { fileURLToPath } from 'node:url';

export const ownCommand = fileURLToPath(new URL('../../bin/midcall.js', import.meta.url));
