/**
 * Whether the person sees a question at the desk: true; false if there is no way; or, if nothing can be opened for them, a
 * sentence that says how they get there. It is told to the model, so it holds no link.
 */
export type Shown = boolean | string;
