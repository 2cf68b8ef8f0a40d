/** The desk's texts about calls that continue as tasks. */
export const taskTexts = {
  task: {
    title: 'Tasks',
    lead: 'A task is a call that its server continues on its own, for days if necessary. You do not have to wait for it: its questions appear on the desk when the server asks them.',
    none: 'There are no tasks.',
    state: 'State',
    change: 'Change',
    waits: 'Waiting for an answer',
    working: 'The server is working on it',
    cancelled: 'Cancelled, not yet confirmed',
    follower: {
      desk: '',
      other: 'Another process of yours is following it, such as midcall call.',
      nobody: 'The desk follows it again once its server is connected.',
      cancelled: 'The server has not confirmed it, and is told again once it is connected.',
    },
    cancel: 'Cancel',
    forget: 'Forget',
    goesOn: 'This call continues as a task. If you close the desk, the next one follows it again.',
    needsDesk: 'This call continues as a task for as long as the desk is open.',
  },
};
