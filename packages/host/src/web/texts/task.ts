/** The desk's texts about calls that continue as tasks. */
export const taskTexts = {
  task: {
    title: 'Tasks',
    lead: 'A task is a call that its server continues by itself, for days if need be. You need not wait for it: its questions appear on the desk when they are asked.',
    none: 'No call continues by itself.',
    state: 'State',
    change: 'Change',
    waits: 'Waits for an answer',
    working: 'The server works on it',
    cancelled: 'Cancelled, not confirmed',
    follower: {
      desk: '',
      other: 'Another process of yours follows it, such as midcall call.',
      nobody: 'It continues here once its server is connected.',
      cancelled: 'The server has not said that it knows. It is told again once it is connected.',
    },
    cancel: 'Cancel',
    forget: 'Forget',
    goesOn: 'This call continues by itself. If you close the desk, the next one asks the server for it again.',
    needsDesk: 'This call continues by itself for as long as the desk is open.',
  },
};
