export const driverName = 'bubblewrap';
