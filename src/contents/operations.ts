import type { Operation } from '../platform/http/operation.ts';
import { createAdvertisement } from './api/create-advertisement.ts';
import { createAdvertiser } from './api/create-advertiser.ts';
import { createAffiliation } from './api/create-affiliation.ts';
import { createContentData } from './api/create-content-data.ts';
import { createPictureDirectory } from './api/create-picture-directory.ts';
import { createSendingConfiguration } from './api/create-sending-configuration.ts';
import { createThematic } from './api/create-thematic.ts';
import { duplicateSendingConfiguration } from './api/duplicate-sending-configuration.ts';
import { getAdvertisement } from './api/get-advertisement.ts';
import { getAdvertisementDirectories } from './api/get-advertisement-directories.ts';
import { getAdvertiser } from './api/get-advertiser.ts';
import { getAffiliation } from './api/get-affiliation.ts';
import { getContentBlock } from './api/get-content-block.ts';
import { getDirectory } from './api/get-directory.ts';
import { getDirectoryByName } from './api/get-directory-by-name.ts';
import { getSendingConfiguration } from './api/get-sending-configuration.ts';
import { getSendingConfigurationDirectories } from './api/get-sending-configuration-directories.ts';
import { getThematic } from './api/get-thematic.ts';
import { listAdvertisements } from './api/list-advertisements.ts';
import { listAdvertisers } from './api/list-advertisers.ts';
import { listAffiliations } from './api/list-affiliations.ts';
import { listContentBlocks } from './api/list-content-blocks.ts';
import { listContentData } from './api/list-content-data.ts';
import { listContentDataRows } from './api/list-content-data-rows.ts';
import { listDirectoriesByType } from './api/list-directories-by-type.ts';
import { listSendingConfigurations } from './api/list-sending-configurations.ts';
import { listThematics } from './api/list-thematics.ts';
import { modifyAdvertisement } from './api/modify-advertisement.ts';
import { modifyAdvertiser } from './api/modify-advertiser.ts';
import { modifyAffiliation } from './api/modify-affiliation.ts';
import { modifySendingConfiguration } from './api/modify-sending-configuration.ts';
import { modifyThematic } from './api/modify-thematic.ts';
import { setAdvertisementDirectories } from './api/set-advertisement-directories.ts';
import { setSendingConfigurationDirectories } from './api/set-sending-configuration-directories.ts';
import { setSendingConfigurationFavourite } from './api/set-sending-configuration-favourite.ts';
import { updateContentBlock } from './api/update-content-block.ts';
import { updatePictureDirectory } from './api/update-picture-directory.ts';

export const contentsOperations: readonly Operation[] = [
  getAdvertisement,
  listAdvertisements,
  modifyAdvertisement,
  createAdvertisement,
  getAdvertiser,
  listAdvertisers,
  modifyAdvertiser,
  createAdvertiser,
  getAffiliation,
  listAffiliations,
  modifyAffiliation,
  createAffiliation,
  getThematic,
  listThematics,
  modifyThematic,
  createThematic,
  getContentBlock,
  listContentBlocks,
  updateContentBlock,
  createContentData,
  listContentData,
  listContentDataRows,
  listSendingConfigurations,
  getSendingConfiguration,
  modifySendingConfiguration,
  createSendingConfiguration,
  duplicateSendingConfiguration,
  getDirectory,
  getDirectoryByName,
  listDirectoriesByType,
  createPictureDirectory,
  updatePictureDirectory,
  getAdvertisementDirectories,
  setAdvertisementDirectories,
  getSendingConfigurationDirectories,
  setSendingConfigurationDirectories,
  setSendingConfigurationFavourite,
];
