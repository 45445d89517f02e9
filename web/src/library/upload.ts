import { api, dataOf } from '../api/client.ts';
import type { Picture } from './pictures.ts';

/** The largest picture that the service accepts. */
export const mostBytes = 10 * 2 ** 20;
export const acceptedTypes = '.png,.jpg,.jpeg,.gif,.webp';

/** The bytes of a file in base64. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      resolve(address.slice(address.indexOf(',') + 1));
    };
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Uploads a picture, which is called as its file. @param idDirectory its folder; 0 means none */
export async function uploadPicture(idsite: string, file: File, idDirectory: number): Promise<Picture> {
  const name = file.name.replace(/\.[a-z]{2,5}$/i, '');
  const base64Content = await base64Of(file);
  return dataOf(
    api.POST('/v1/{idsite}/pictures', {
      params: { path: { idsite } },
      body: { name, fileName: file.name, base64Content, ...(idDirectory > 0 && { idDirectory }) },
    }),
  );
}
