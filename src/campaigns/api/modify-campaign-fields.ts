import { largeBodyMegabytes, siteAction } from '../../platform/http/operation.ts';
import { invalid, Refusal } from '../../platform/http/refusal.ts';
import { Closed, Id } from '../../platform/http/schema.ts';
import { breachOf } from '../../platform/http/validation.ts';
import { CampaignInput } from '../campaign.ts';
import { CampaignFields, changeOfFields, inFields } from '../campaign-fields.ts';
import { versionOfCampaign } from '../campaign-version.ts';
import { changeCampaign } from '../change-campaign.ts';

export const modifyCampaignFields = siteAction({
  id: 'modifyCampaignFields',
  method: 'PUT',
  path: '/campaigns/fields',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Modify fields of a campaign by their names',
  description:
    'All of them or none. Values are texts: true or false, numbers, ids (0 or empty: none), the words of ' +
    'modifyCampaign. Fields that the service sets itself are rejected (422) with the operation that changes them. ' +
    'A campaign that is being sent or is paused cannot be changed (409).',
  body: Closed('CampaignFieldsChange', {
    idCampaign: Id('campaign'),
    fields: CampaignFields,
  }),
  bodyMegabytes: largeBodyMegabytes,
  example: { idCampaign: 1, fields: { mailObject: 'Hello again', isArchive: 'false' } },
  versionOf: (db, { body }, isLocked) => versionOfCampaign(db, body.idCampaign, isLocked),
  refusals: [404, 409, 422, 503],
  handle: async (input) => {
    const { idCampaign } = input.body;
    // The schema takes texts only; its members are optional, and JSON has no undefined ones.
    const fields = input.body.fields as Readonly<Record<string, string>>;
    try {
      return await changeCampaign(
        input,
        idCampaign,
        {
          isWhole: false,
          input: (before) => {
            const change = changeOfFields(before, fields);
            const fault = breachOf(CampaignInput, change, 'fields');
            if (fault) throw invalid(fault);
            return change;
          },
        },
        async () => true,
      );
    } catch (error) {
      throw error instanceof Refusal ? error.saying(inFields(error.message, fields), error.data) : error;
    }
  },
});
