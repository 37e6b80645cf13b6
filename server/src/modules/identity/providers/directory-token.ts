// The bearer token of a directory. Its prefix tells people and secret scanners what it is; it is no API key and opens
// nothing but the directory endpoint. With 256 random bits a hash is enough to find it by.
import { sha256 } from '../../../platform/hashing.ts';
import { randomBase32 } from '../../../platform/ids.ts';

const form = /^gw_scim_[0-9a-z]{52}$/;

export const newDirectoryToken = (): string => `gw_scim_${randomBase32(32)}`;
export const hashDirectoryToken = (token: string): Buffer => sha256(token);
export const isDirectoryToken = (text: string): boolean => form.test(text);
