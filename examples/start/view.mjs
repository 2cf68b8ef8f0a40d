/** The host quick start's own view: questions handed to whatever draws an application's cards. */
// #region view
/** @returns {import('@midcall/host').Presenter} */
export const cardView = cards => ({
  via: 'my-app',
  show(question, { reply, ended }) {
    const card = cards.open({
      title: `${question.asker.id} asks`, // the name your user gave it, not the one it gives itself
      question, // its kind: form, url, sampling-request, sampling-reply, roots, call, url-finish, sign-in
      onSend: async content => {
        const receipt = await reply({ action: 'accept', content });
        if (!receipt.ok && receipt.problem === 'invalid') card.complain(receipt.issues);
      },
      onDecline: () => reply({ action: 'decline' }),
      onDismiss: () => reply({ action: 'dismiss' }),
    });
    ended.addEventListener('abort', () => card.close(ended.reason.how)); // 'answered', 'timed-out', 'withdrawn', …
  },
});
// #endregion
