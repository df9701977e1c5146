package date

// Resolved are the options that resolvedOptions returns.
type Resolved struct {
	TimeZone               string `json:"timeZone"`
	HourCycle              string `json:"hourCycle,omitempty"`
	Hour12                 *bool  `json:"hour12,omitempty"`
	Weekday                string `json:"weekday,omitempty"`
	Era                    string `json:"era,omitempty"`
	Year                   string `json:"year,omitempty"`
	Month                  string `json:"month,omitempty"`
	Day                    string `json:"day,omitempty"`
	DayPeriod              string `json:"dayPeriod,omitempty"`
	Hour                   string `json:"hour,omitempty"`
	Minute                 string `json:"minute,omitempty"`
	Second                 string `json:"second,omitempty"`
	FractionalSecondDigits int    `json:"fractionalSecondDigits,omitempty"`
	TimeZoneName           string `json:"timeZoneName,omitempty"`
	DateStyle              string `json:"dateStyle,omitempty"`
	TimeStyle              string `json:"timeStyle,omitempty"`
}

// Resolved returns the options that the pattern of the format results in.
func (f *Format) Resolved() Resolved {
	r := Resolved{TimeZone: f.Zone.Name, DateStyle: f.DateStyle, TimeStyle: f.TimeStyle}
	styled := f.DateStyle != "" || f.TimeStyle != ""
	for _, i := range f.items {
		row := rowOf(i.letter, i.length)
		if row == nil {
			continue
		}
		if row.field == hour {
			r.HourCycle = map[byte]string{'K': "h11", 'h': "h12", 'H': "h23", 'k': "h24"}[i.letter]
			twelve := i.letter == 'K' || i.letter == 'h'
			r.Hour12 = &twelve
		}
		if !styled {
			r.show(row.field, i)
		}
	}
	return r
}

func (r *Resolved) show(f field, i item) {
	name := map[int]string{1: "short", 2: "short", 3: "short", 4: "long", 5: "narrow"}[i.length]
	if f == month || f != weekday && f != era && f != dayPeriod && f != zone {
		switch i.length {
		case 1:
			name = "numeric"
		case 2:
			name = "2-digit"
		}
	}
	switch f {
	case fraction:
		r.FractionalSecondDigits = i.length
	case zone:
		r.TimeZoneName = name
		if i.letter == 'O' {
			r.TimeZoneName += "Offset"
		}
	case dayPeriod:
		if i.letter == 'B' {
			r.DayPeriod = name
		}
	default:
		if place := map[field]*string{
			weekday: &r.Weekday, era: &r.Era, year: &r.Year, month: &r.Month, day: &r.Day, hour: &r.Hour, minute: &r.Minute, second: &r.Second,
		}[f]; place != nil {
			*place = name
		}
	}
}
