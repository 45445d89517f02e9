import { counted } from './counted.ts';

/** Texts for refusals of the service, by the word in its header `x-error-code`. */
export const errors = {
  byCode: {
    invalid_input: 'The service does not accept one of the values.',
    malformed: 'The service could not read the request.',
    unauthenticated: 'Your session ended.',
    forbidden: 'You do not have the right to do this.',
    not_found: 'This does not exist, or no longer.',
    timeout: 'The request took too long to arrive. Try again.',
    conflict: 'This conflicts with the current state or with another record.',
    duplicate_email: 'Another subscriber has this email address.',
    duplicate_client: 'Another subscriber has this client number.',
    too_large: 'This is larger than the service accepts.',
    refused: 'A rule forbids this.',
    too_many: 'Too many requests. Wait a moment and try again.',
    busy: 'The service is busy. Try again in a moment.',
    crossed: 'Another request changed the same records. Try again.',
    disk_full: 'A disk of the service is full. An administrator has to make room.',
    too_slow: 'This took longer than a request may. Narrow the request, or try again.',
    loading: 'A file of the filter is still being loaded. Try again in a few seconds.',
    unavailable: 'Something that the service depends on is unavailable. Try again in a moment.',
    host_key_changed: 'An SFTP server shows a different key. An administrator has to check it.',
    internal: 'A defect of the service. An administrator finds it by the number of the request.',
    console_updated: 'This page is of an older version. Load the page again to continue.',
    no_connection: 'The service cannot be reached. Check your connection.',
  } as Readonly<Record<string, string>>,
  /** Rules that the value of a field breaks. */
  rules: {
    required: (_: string) => 'This field is required.',
    tooLong: (most: string) => `This has more than ${counted(most, 'character', 'characters')}.`,
    tooShort: (fewest: string) => `This has fewer than ${counted(fewest, 'character', 'characters')}.`,
    tooSmall: (least: string) => `This must be at least ${least}.`,
    tooLarge: (most: string) => `This must be at most ${most}.`,
    integer: (_: string) => 'This must be a whole number.',
    email: (_: string) => 'This is not an email address.',
    exists: (_: string) => 'This already exists.',
    invalid: (rule: string) => `This is not valid: ${rule}.`,
    unknown: 'This is not valid.',
  },
  /** Words of the service that the console does not know. */
  quoted: (text: string) => text,
  unknown: 'Something went wrong.',
  request: (id: string) => `Request ${id}`,
  tryAgain: 'Try again',
};
