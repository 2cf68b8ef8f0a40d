/** The code of docs/testing.md that finishes a page. */
import '../../examples/docs/test-pages.ts';
