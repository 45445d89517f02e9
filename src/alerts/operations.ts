import type { Operation } from '../platform/http/operation.ts';
import { getAlert } from './api/get-alert.ts';
import { listAlerts } from './api/list-alerts.ts';
import { unlockAlert } from './api/unlock-alert.ts';

export const alertsOperations: readonly Operation[] = [getAlert, unlockAlert];
/** Listed with the rest of the administration. */
export const alertsAdministration: readonly Operation[] = [listAlerts];
