/** Clients as the authorization servers of the tests know them. */

export const clientSecret = 'client-secret-canary-0123456789';

/** @param paths - where it may be sent back to, on loopback */
export const registeredClient = (client_id: string, paths: readonly string[], more: object = {}) => ({
  client_id,
  client_secret: clientSecret,
  application_type: 'native',
  redirect_uris: paths.map(path => `http://127.0.0.1${path}`),
  grant_types: ['authorization_code', 'refresh_token'],
  ...more,
});
