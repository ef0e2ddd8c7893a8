"""The original FC-Net files (Klein and Hutter, 2019): schema, import and export."""
