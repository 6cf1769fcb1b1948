/**
 * Names a row of the table `recipients`.
 */
export interface RecipientKey {
  seq: number;
  position: number;
}
