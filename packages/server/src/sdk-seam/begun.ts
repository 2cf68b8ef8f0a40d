/** What `work` throws at once, it rejects with; no frame and no further promise is held until it has ended. */
export function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
