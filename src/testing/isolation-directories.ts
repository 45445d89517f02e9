import type { Probe } from './isolation-matrix.ts';

const ofTarget: Probe = {
  ids: { 'params.idTarget': 'target' },
  own: ({ target }) => ({ params: { idTarget: target } }),
};
const ofAdvertisement: Probe = {
  ids: { 'params.idAdvertisement': 'advertisement' },
  own: ({ advertisement }) => ({ params: { idAdvertisement: advertisement } }),
};
const ofConfiguration: Probe = {
  ids: { 'params.idConfig': 'configuration' },
  own: ({ configuration }) => ({ params: { idConfig: configuration } }),
};
const withDirectories = ({ ids, own }: Probe): Probe => ({
  ids: { ...ids, 'body[]': 'directory' },
  own: (records) => ({ ...own(records), body: [records.directory] }),
});
const withFavourite = ({ ids, own }: Probe): Probe => ({
  ids,
  own: (records) => ({ ...own(records), body: true }),
});

/** The ids that operations on directories and favourites take. */
export const directoryProbes: Readonly<Record<string, readonly Probe[]>> = {
  getDirectory: [
    {
      ids: { 'params.idDirectory': 'directory' },
      own: ({ directory }) => ({ params: { idDirectory: directory } }),
    },
  ],
  getDirectoryByName: [
    {
      ids: { 'query.name': 'directoryName' },
      own: ({ directoryName }) => ({ query: { name: directoryName } }),
    },
  ],
  createPictureDirectory: [
    {
      ids: { 'body.idParent': 'directory' },
      own: ({ directory }) => ({ body: { name: 'Own', idParent: directory, dirType: 'Unknown' } }),
    },
  ],
  updatePictureDirectory: [
    {
      ids: { 'body.id': 'directory', 'body.idParent': 'directory' },
      own: ({ directory, directoryName }) => ({ body: { id: directory, name: `New ${directoryName}` } }),
    },
  ],
  deleteDirectory: [
    {
      ids: { 'params.idDirectory': 'directory' },
      own: ({ directory }) => ({ params: { idDirectory: directory } }),
    },
  ],
  getTargetDirectories: [ofTarget],
  setTargetDirectories: [withDirectories(ofTarget)],
  setTargetFavourite: [withFavourite(ofTarget)],
  getSendingConfiguration: [ofConfiguration],
  getAdvertisementDirectories: [ofAdvertisement],
  setAdvertisementDirectories: [withDirectories(ofAdvertisement)],
  listAdvertisements: [
    {
      ids: { 'query.idDirectory': 'directory' },
      own: ({ directory }) => ({ query: { idDirectory: directory } }),
    },
  ],
  getSendingConfigurationDirectories: [ofConfiguration],
  setSendingConfigurationDirectories: [withDirectories(ofConfiguration)],
  setSendingConfigurationFavourite: [withFavourite(ofConfiguration)],
};
