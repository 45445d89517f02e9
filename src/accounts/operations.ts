import type { Operation } from '../platform/http/operation.ts';
import { addSftpPublicKey } from './api/add-sftp-public-key.ts';
import { changePassword } from './api/change-password.ts';
import { checkSendingDomain } from './api/check-sending-domain.ts';
import { createPasskey } from './api/create-passkey.ts';
import { createProvider } from './api/create-provider.ts';
import { createRoute } from './api/create-route.ts';
import { createSendingDomain } from './api/create-sending-domain.ts';
import { createSite } from './api/create-site.ts';
import { createToken } from './api/create-token.ts';
import { createUser } from './api/create-user.ts';
import { deletePasskey } from './api/delete-passkey.ts';
import { deleteRoute } from './api/delete-route.ts';
import { deleteRouteWebhook } from './api/delete-route-webhook.ts';
import { deleteSendingDomain } from './api/delete-sending-domain.ts';
import { finishProviderSignIn } from './api/finish-provider-sign-in.ts';
import { getMe } from './api/get-me.ts';
import { getSftpAccount } from './api/get-sftp-account.ts';
import { getSignInMethods } from './api/get-sign-in-methods.ts';
import { getSite } from './api/get-site.ts';
import { listAuditEntries } from './api/list-audit-entries.ts';
import { listPasskeys } from './api/list-passkeys.ts';
import { listProviders } from './api/list-providers.ts';
import { listRoutes } from './api/list-routes.ts';
import { listSendingDomains } from './api/list-sending-domains.ts';
import { listSftpPublicKeys } from './api/list-sftp-public-keys.ts';
import { listSites } from './api/list-sites.ts';
import { listTokens } from './api/list-tokens.ts';
import { listUsers } from './api/list-users.ts';
import { removeSftpPublicKey } from './api/remove-sftp-public-key.ts';
import { renewSftpPassword } from './api/renew-sftp-password.ts';
import { requestPasswordLink } from './api/request-password-link.ts';
import { revokeToken } from './api/revoke-token.ts';
import { setRouteWebhook } from './api/set-route-webhook.ts';
import { signIn } from './api/sign-in.ts';
import { signInWithPasskey } from './api/sign-in-with-passkey.ts';
import { signOut } from './api/sign-out.ts';
import { startPasskey } from './api/start-passkey.ts';
import { startPasskeySignIn } from './api/start-passkey-sign-in.ts';
import { startProviderSignIn } from './api/start-provider-sign-in.ts';
import { updateMe } from './api/update-me.ts';
import { updateProvider } from './api/update-provider.ts';
import { updateRoute } from './api/update-route.ts';
import { updateSite } from './api/update-site.ts';
import { updateUser } from './api/update-user.ts';
import { usePasswordLink } from './api/use-password-link.ts';

/** Signing in, and what concerns the caller alone, below /v1. */
export const sessionOperations: readonly Operation[] = [
  signIn,
  signOut,
  getMe,
  updateMe,
  changePassword,
  requestPasswordLink,
  usePasswordLink,
  getSignInMethods,
  startProviderSignIn,
  finishProviderSignIn,
  listPasskeys,
  startPasskey,
  createPasskey,
  deletePasskey,
  startPasskeySignIn,
  signInWithPasskey,
];

/** The administration of the installation, below /admin/v1, and a site's own settings. */
export const accountsOperations: readonly Operation[] = [
  listSites,
  createSite,
  getSite,
  updateSite,
  getSftpAccount,
  renewSftpPassword,
  listSftpPublicKeys,
  addSftpPublicKey,
  removeSftpPublicKey,
  listUsers,
  createUser,
  updateUser,
  listTokens,
  createToken,
  revokeToken,
  listRoutes,
  createRoute,
  updateRoute,
  deleteRoute,
  setRouteWebhook,
  deleteRouteWebhook,
  listSendingDomains,
  createSendingDomain,
  deleteSendingDomain,
  checkSendingDomain,
  listProviders,
  createProvider,
  updateProvider,
  listAuditEntries,
];
