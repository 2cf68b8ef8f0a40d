/** The client script, what runs on its own on pages outside the desk, and the service worker; without their endings. */
export const clientScripts = ['desk', 'again', 'offline', 'worker'] as const;
