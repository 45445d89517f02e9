/** The user's own passkeys. */
export const passkeys = {
  about: 'A passkey signs you in without your password, by the fingerprint, face or PIN of a device.',
  none: 'You have no passkey yet.',
  notHere: 'Passkeys do not work at this address: open the console by https and the name of its host.',
  lastUse: (moment: string) => `Last used ${moment}`,
  neverUsed: (day: string) => `Not used since it was added (${day})`,
  add: 'Add a passkey',
  create: 'Continue',
  name: 'Name of the device',
  nameHint: 'For example: my laptop',
  passwordText: 'Empty if you have no password here.',
  known: 'This device already has a passkey for your account.',
  declined: 'The browser made no passkey. Try again.',
  added: (name: string) => `The passkey “${name}” is added.`,
  removeTitle: (name: string) => `Remove the passkey “${name}”?`,
  removeText: 'It no longer signs you in. Sessions that are open stay open. The device may still offer it.',
  removed: (name: string) => `The passkey “${name}” is removed.`,
};
